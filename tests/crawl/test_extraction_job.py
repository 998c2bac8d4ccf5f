"""The worker's job makes articles of held pages, as the crawl's options say."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from scrapy.settings import Settings

from forest_crawler.article import FormOptions
from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.induction_job import induce_site
from forest_crawler.crawl.jobs import PageResult, SiteJob
from forest_crawler.errors import StoreError
from forest_crawler.feed.entry_codec import EntryValues, encode_entry
from forest_crawler.feed.records import FeedEntry
from forest_crawler.pipelines.forest import _options
from forest_crawler.store.page_bodies import pack_body
from forest_crawler.store.records import HeldPage
from forest_crawler.wrapper.wrapper import Wrapper

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


def test_a_page_is_unpacked_by_the_worker_and_a_damaged_one_is_not_closed() -> None:
    packed = replace(held(STORY), body=b"", packed=pack_body(STORY.encode()))
    assert result_of(packed) == result_of(held(STORY))
    with pytest.raises(StoreError, match=r"gazette\.example/ferry: is damaged"):
        result_of(replace(packed, packed=b"no zlib"))


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


SHELL = "<title>Ferry returns</title><div id=app>Loading</div><script>app()</script>"
WALL = (
    "<title>Ferry returns</title><p>Bay News, since 1987</p>"
    f"<div class=consent-dialog><p>{TEXT * 3}</p></div><p>All rights reserved</p></div>"
)
FED = encode_entry(FeedEntry("Ferry returns", content=f"<p>{TEXT * 6}</p><img src=/a.jpg>"))
LOCKED = '{"@type": "Article", "isAccessibleForFree": false}'
PAID = f'<script type="application/ld+json">{LOCKED}</script>'


@pytest.mark.parametrize("html", [SHELL, WALL, "", f"{PAID}<p>{TEXT * 3}"], ids=list("swep"))
def test_a_page_without_text_takes_that_of_its_feed(html: str) -> None:
    row = row_of(held(html, FED))
    assert row["extractor"] == "feed"
    assert row["text"] == (TEXT * 6).strip()
    assert row["title"].startswith("Ferry")
    assert [image["url"] for image in row["images"]] == [f"http://{SITE}/a.jpg"]


@pytest.mark.parametrize(
    ("status", "times", "article", "reason"),
    [  # 156 words, and 143
        (403, 12, "feed", None),
        (403, 11, None, "http-403"),
        (304, 11, None, "http-304"),
    ],
)
def test_a_page_that_was_never_seen_takes_a_long_text_of_its_feed(
    status: int, times: int, article: str | None, reason: str | None
) -> None:
    entry = encode_entry(FeedEntry("Ferry returns", content=f"<p>{TEXT * times}</p>"))
    result = result_of(replace(held("", entry), status=status))
    assert (result.reason, result.is_failure) == (reason, reason is not None)
    row = json.loads(result.article.line) if result.article else {}
    assert row.get("extractor") == article


def test_a_page_with_text_is_extracted_although_the_feed_has_it() -> None:
    assert row_of(held(STORY, FED))["extractor"] == "page:page"


def test_a_page_that_shows_the_beginning_of_what_its_json_ld_states_gives_the_whole() -> None:
    data = {"@type": "NewsArticle", "url": f"http://{SITE}/ferry", "articleBody": TEXT * 16}
    script = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    row = row_of(held(script + STORY))  # which has 67 of its 208 words, with the headline
    assert row["extractor"] == "structured-data"
    assert row["text"] == (TEXT * 16).strip()


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        (SHELL, "no-article-no-text"),
        (WALL, "no-article-wall"),
        ("", "empty"),
        (f"{PAID}<p>{TEXT * 3}", "no-article-teaser"),
    ],
)
def test_without_a_feed_such_a_page_is_skipped_with_its_reason(html: str, reason: str) -> None:
    result = result_of(held(html))
    assert (result.article, result.reason, result.is_failure) == (None, reason, False)


def test_a_long_article_that_is_not_free_is_archived() -> None:
    assert row_of(held(f"{PAID}<p>{TEXT * 6}</p><p>{TEXT * 6}</p>"))["free_access"] is False


def test_shells_with_a_full_feed_are_not_skipped_when_wrappers_are_induced() -> None:
    pages = [replace(held(SHELL, FED), key=f"k{n}") for n in range(3)]
    found = induce_site(SITE, [*pages, replace(held(SHELL), key="other")])
    assert found.without == {"other": "no-article-no-text"}


def test_what_the_page_says_about_the_wrapper_is_passed_on() -> None:
    page = held(f"<title>Ferry</title><div id=story><p>{TEXT * 4}</p><p id=x>{TEXT * 3}</p></div>")
    rule = "//p[@id='x']"
    wrapper = Wrapper(
        SITE, "forest", "portable", ("//div[@id='story']",), (rule,), confidence=0.99, support=40
    )
    (site,) = extract_sites([SiteJob(SITE, ((7, wrapper),), (page,), always_check=True)])
    (result,) = site.pages
    assert result.is_fitted
    assert result.eaten_by == (rule,)
    assert result.agreement is not None
    assert result.article is not None
    assert result.article.wrapper_id == 7
    row = json.loads(result.article.line)
    assert row["text"].count("chain ferry") == 7
    assert row["agreement"] == round(result.agreement, 3)
    assert 0.5 < row["quality"] <= 1


def test_a_misfit_is_not_the_wrappers_article() -> None:
    other = "<ul id=list><li>Home<li>News<li>Sport</ul>"
    page = held(f"<title>Ferry</title>{other}<article><p>{TEXT * 4}</p><p>{TEXT * 3}</p></article>")
    wrapper = Wrapper(
        SITE, "forest", "portable", ("//ul[@id='list']",), confidence=0.5, support=2, words=3
    )
    (site,) = extract_sites([SiteJob(SITE, ((7, wrapper),), (page,))])
    (result,) = site.pages
    assert not result.is_fitted
    assert result.article is not None
    assert (result.article.extractor, result.article.wrapper_id) == ("page:page", None)
    row = json.loads(result.article.line)
    assert (row["xpath"], row["wrapper_id"], row["confidence"]) == (None, None, None)
    assert row["agreement"] < 0.1


def test_further_parts_are_checked_like_the_first_page() -> None:
    rule = "//p[@id='x']"
    wrapper = Wrapper(
        SITE, "forest", "portable", ("//div[@id='story']",), (rule,), confidence=0.99, support=40
    )
    story = "<title>Ferry</title><div id=story>{}</div>"
    later = TEXT.replace("Wednesday", "Thursday")
    part = held(story.format(f"<p>{later * 4}</p><p id=x>{later * 3}</p>"))
    page = replace(held(story.format(f"<p>{TEXT * 4}</p>")), parts=(part,))
    job = SiteJob(SITE, ((7, wrapper),), (page,), always_check=True)
    (result,) = extract_sites([job])[0].pages
    assert (result.parts, result.eaten_by) == (1, (rule,))
    assert result.article is not None
    assert json.loads(result.article.line)["text"].count("Thursday") == 7


def test_a_last_part_of_a_few_words_is_the_wrappers() -> None:
    wrapper = Wrapper(
        SITE, "forest", "portable", ("//div[@id='story']",), confidence=0.9, support=3, words=50
    )
    story = "<title>Ferry</title><div id=story><p>{}</p></div><ul><li>Home<li>News</ul>"
    page = replace(held(story.format(TEXT * 6)), parts=(held(story.format("It was late.")),))
    (result,) = extract_sites([SiteJob(SITE, ((7, wrapper),), (page,))])[0].pages
    assert result.article is not None
    assert json.loads(result.article.line)["text"].endswith("\nIt was late.")


IMPORTED = Wrapper(
    SITE,
    "fivefilters",
    "portable",
    ("//div[@id='story']",),
    next_page="//a[@class='on']",
    single_page="//a[@class='print']/@href",
)


def test_the_next_page_is_where_an_imported_rule_says() -> None:
    body = f"<title>Ferry</title><div id=story><p>{TEXT * 4}</div><a class=on href=/more>On</a>"
    (result,) = extract_sites([SiteJob(SITE, ((7, IMPORTED),), (held(body),))])[0].pages
    assert result.next_page == f"http://{SITE}/more"


def test_the_page_with_all_of_an_article_replaces_its_first_page() -> None:
    story = "<title>Ferry</title><div id=story><p>{}</div><a class=print href=/print/7>Print</a>"
    first = held(story.format(TEXT * 4))
    (result,) = extract_sites([SiteJob(SITE, ((7, IMPORTED),), (first,))])[0].pages
    assert result.next_page == f"http://{SITE}/print/7"
    whole = replace(first, parts=(held(story.format(TEXT.replace("Wednesday", "Thursday") * 9)),))
    (result,) = extract_sites([SiteJob(SITE, ((7, IMPORTED),), (whole,))])[0].pages
    assert result.next_page is None
    assert result.article is not None
    text = json.loads(result.article.line)["text"]
    assert (text.count("Thursday"), text.count("Wednesday")) == (9, 0)


def test_page_that_comes_alone_is_compared_with_the_doubtful_ones_of_a_sample() -> None:
    notice = "We are moving to new machines, and all stories are back tomorrow. " * 8
    titles = ("Ferry returns to the harbour", "Bakery opens at the mill", "Rain until Monday")
    pages = [
        replace(held(f"<h1>{title}</h1><p>{notice}</p>", {"title": title}), key=title)
        for title in titles
    ]
    sampled = induce_site(SITE, pages[:2])
    assert (sampled.doubts, sampled.texts) == ({}, ())  # one text may have two titles
    sampled = induce_site(SITE, pages)
    assert [key for key, _ in sampled.texts] == [*titles]
    last = replace(held(f"<h1>Snow falls</h1><p>{notice}</p>", {"title": "Snow falls"}), key="d")
    (alone,) = extract_sites([SiteJob(SITE, (), (last,))])
    (compared,) = extract_sites([SiteJob(SITE, (), (last,), earlier=sampled.texts)])
    assert (alone.pages[0].doubt, compared.pages[0].doubt) == (None, "same-text")
