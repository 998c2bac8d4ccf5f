"""The worker's job makes articles of held pages, as the crawl's options say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scrapy.settings import Settings

from forest_crawler.article import FormOptions
from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.jobs import PageResult, SiteJob
from forest_crawler.feed.entry_codec import EntryValues
from forest_crawler.pipelines.forest import _options
from forest_crawler.store.records import HeldPage

SITE = "gazette.example"
TEXT = "The chain ferry carried its first passengers across the narrows on Wednesday morning. "
STORY = f"<title>Ferry returns</title><h1>Ferry returns</h1><p>{TEXT * 3}</p><p>{TEXT * 2}</p>"


def held(html: str, entry: EntryValues | None = None) -> HeldPage:
    url = f"http://{SITE}/ferry"
    return HeldPage("k", url, SITE, 200, "text/html", html.encode(), 1.8e9, entry, None, "g1")


def result_of(page: HeldPage, **options: Any) -> PageResult:
    (site,) = extract_sites([SiteJob(SITE, (), (page,), **options)])
    (result,) = site.pages
    return result


def row_of(page: HeldPage, **options: Any) -> dict[str, Any]:
    article = result_of(page, **options).article
    assert article is not None
    row: dict[str, Any] = json.loads(article.line)
    return row


@pytest.mark.parametrize(("with_title", "start"), [(False, "The chain"), (True, "Ferry returns\n")])
def test_the_forms_are_as_the_options_say(with_title: bool, start: str) -> None:
    row = row_of(held(STORY), forms=FormOptions(with_title=with_title))
    assert row["title"] == "Ferry returns"
    assert row["text"].startswith(start)


@pytest.mark.parametrize(
    ("values", "forms"),
    [
        ({}, FormOptions()),
        ({"FOREST_WITH_TITLE": "1"}, FormOptions(with_title=True)),
        ({"FOREST_CAPTIONS": "False"}, FormOptions(captions=False)),
    ],
)
def test_the_settings_say_what_the_forms_contain(
    values: dict[str, str], forms: FormOptions
) -> None:
    assert _options(Settings(values)).forms == forms
