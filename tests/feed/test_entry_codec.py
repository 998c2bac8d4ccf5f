"""An entry survives its stored form; the page knows what the form leaves out."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from forest_crawler.feed.entry_codec import decode_entry, encode_entry
from forest_crawler.feed.records import Enclosure, FeedEntry

FULL = FeedEntry(
    title="Rain",
    description="It rained — at last.",
    link="http://gazette.example/rain",
    guid="tag:gazette.example,2026:7",
    published=datetime(2026, 3, 6, 10, 15, tzinfo=timezone(timedelta(hours=1))),
    updated=datetime(2026, 3, 7, tzinfo=UTC),
    authors=("Ann Lee", "Bo Ek"),
    tags=("weather",),
    enclosures=(Enclosure("http://gazette.example/rain.mp3", "audio/mpeg", 7), Enclosure("b.ogg")),
)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(FULL, id="every field"),
        pytest.param(FeedEntry("Rain"), id="a title alone"),
        pytest.param(FeedEntry(""), id="nothing"),
    ],
)
def test_an_entry_survives_its_stored_form(entry: FeedEntry) -> None:
    stored = json.loads(json.dumps(encode_entry(entry)))
    assert decode_entry(stored, link=entry.link, guid=entry.guid) == entry


def test_the_stored_form_is_fixed() -> None:
    assert encode_entry(FULL) == {
        "title": "Rain",
        "description": "It rained — at last.",
        "published": "2026-03-06T10:15:00+01:00",
        "updated": "2026-03-07T00:00:00+00:00",
        "authors": ["Ann Lee", "Bo Ek"],
        "tags": ["weather"],
        "enclosures": [
            {"url": "http://gazette.example/rain.mp3", "type": "audio/mpeg", "length": 7},
            {"url": "b.ogg"},
        ],
    }
    assert encode_entry(FeedEntry("")) == {}


def test_content_and_original_spellings_of_dates_are_not_stored() -> None:
    spelt = replace(FULL, content="<p>It", published_text="Friday", updated_text="Saturday")
    assert encode_entry(spelt) == encode_entry(FULL)
