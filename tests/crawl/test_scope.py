"""A crawl's scope: by the feed entry before fetching, by the article after it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from scrapy.settings import Settings

from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.jobs import SiteJob
from forest_crawler.crawl.scope import Scope
from forest_crawler.errors import InputError
from forest_crawler.export.archive_rows import ArticleFilter
from forest_crawler.pipelines.forest import _options
from forest_crawler.store.records import Candidate
from tests.crawl.test_extraction_job import SITE, STORY, held

URL = "https://gazette.example/news/2026/ferry"


@pytest.mark.parametrize(
    ("scope", "published", "reason"),
    [
        (Scope(), "2026-03-06T10:00:00+00:00", None),
        (Scope(match=re.compile("/news/")), None, None),
        (Scope(match=re.compile("/sport/")), None, "scope-match"),
        (Scope(reject=re.compile("ferry$")), None, "scope-reject"),
        (Scope(since=date(2026, 3, 6)), "2026-03-06T00:00:00+00:00", None),
        (Scope(since=date(2026, 3, 7)), "2026-03-06T23:59:00+00:00", "scope-since"),
        (Scope(until=date(2026, 3, 6)), "2026-03-06T23:59:00+00:00", None),
        (Scope(until=date(2026, 3, 5)), "2026-03-06T00:00:00+00:00", "scope-until"),
        (Scope(since=date(2026, 3, 7)), None, None),  # known only after extraction
        (Scope(languages=("de",)), None, None),
    ],
)
def test_feed_entry_decides_before_the_page_is_fetched(
    scope: Scope, published: str | None, reason: str | None
) -> None:
    entry = {"published": published} if published else None
    candidate = Candidate("k", URL, "gazette.example", None, None, entry)
    assert scope.refuse_candidate(candidate) == reason


@pytest.mark.parametrize(
    ("scope", "reason"),
    [
        (Scope(since=date(2026, 3, 7)), "scope-since"),
        (Scope(since=date(2026, 3, 6)), None),
        (Scope(until=date(2026, 3, 5)), None),  # it may have been published long before
    ],
)
def test_an_entry_that_only_says_when_it_changed_may_be_too_old(
    scope: Scope, reason: str | None
) -> None:
    entry = {"updated": "2026-03-06T10:00:00+00:00"}
    assert scope.refuse_candidate(Candidate("k", URL, "g.example", None, None, entry)) == reason


def test_an_article_counts_for_the_day_of_its_last_change_if_it_states_no_other() -> None:
    row = {"date_modify": "2026-03-06T10:00:00+00:00", "date_download": "2026-04-01T10:00:00Z"}
    day = date(2026, 3, 6)
    assert Scope(since=day, until=day).refuse_article(row) is None
    assert ArticleFilter(since=day, until=day).accepts(row)


@pytest.mark.parametrize(
    ("scope", "reason"),
    [
        (Scope(languages=("en",)), None),
        (Scope(languages=("de", "fr")), "scope-language"),
        (Scope(until=date(2026, 1, 1)), "scope-until"),
        (Scope(since=date(2026, 3, 6), until=date(2026, 3, 6)), None),
    ],
)
def test_article_decides_after_extraction(scope: Scope, reason: str | None) -> None:
    head = (
        '<html lang=en-GB><meta property="article:published_time" content="2026-03-06T10:00:00Z">'
    )
    page = replace(held(head + STORY))
    (site,) = extract_sites([SiteJob(SITE, (), (page,), scope=scope)])
    (result,) = site.pages
    assert result.reason == reason
    assert (result.article is None) == (reason is not None)


def test_the_settings_say_the_scope() -> None:
    values: dict[str, Any] = {"FOREST_SINCE": "2026-03-06", "FOREST_LANGUAGES": "en,de"}
    scope = _options(Settings(values | {"FOREST_MATCH": "/news/"})).scope
    assert scope == Scope(date(2026, 3, 6), None, ("en", "de"), re.compile("/news/"))
    assert not _options(Settings()).scope


@pytest.mark.parametrize(
    ("name", "value"), [("FOREST_MATCH", "("), ("FOREST_UNTIL", "soon"), ("FOREST_OUTPUT", "a.csv")]
)
def test_wrong_setting_is_named(name: str, value: str) -> None:
    with pytest.raises(InputError, match=name):
        _options(Settings({name: value}))
