"""Each field comes from its most trusted source; no value breaks a line."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler import extract_article
from forest_crawler.article.article import Article, ArticleSource, make_article
from forest_crawler.article.schemas import SCHEMAS
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.errors import UnknownNameError
from forest_crawler.extraction.extraction import Extraction, extract
from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction import SamplePage, induce
from forest_crawler.page.selection import select_elements
from forest_crawler.page.tree import parse_page
from forest_crawler.page_model.model import score_blocks
from forest_crawler.text.terms import tokenize
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.growth import assert_linear
from tests.support.reading_forms import words_of_html, words_of_markdown

URL = "http://gazette.example/2026/rain.html?utm_source=rss"
WRAPPER = Wrapper("gazette.example", "by hand", "portable", ("//main",))
NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)


def article(
    head: str = "",
    body: str = "<p>It rained.</p>",
    wrapper: Wrapper = WRAPPER,
    entry: FeedEntry | None = None,
    fetched_at: float | None = None,
) -> Article:
    page = f"<html lang=en><head>{head}</head><body><main>{body}</main></body></html>"
    tree = parse_page(page, url=URL)
    source = ArticleSource(URL, "gazette.example", entry=entry, fetched_at=fetched_at)
    return make_article(tree, extract(tree, [wrapper]), source)


def linked(**values: object) -> str:
    data = json.dumps({"@type": "NewsArticle", **values})
    return f'<script type="application/ld+json">{data}</script>'


def test_the_fields_are_those_that_are_documented() -> None:
    # Programs that read the archive rely on this list and its order.
    assert [field.name for field in fields(Article)] == (
        "id url canonical_url site sitename title authors date_publish date_modify date_download "
        "language description image_url images media tags keywords text html markdown feed_url "
        "guid free_access extractor wrapper_id xpath confidence agreement quality http_status "
        "near_duplicate_of version_of truncated"
    ).split()


@pytest.mark.parametrize(
    ("script", "parses"),
    [
        pytest.param('{"@type": "NewsArticle", "headline": "Rain"}', 1, id="valid"),
        pytest.param('<!--{"@type": "NewsArticle", "headline": "Rain"}-->', 1, id="wrapped"),
        pytest.param('{"@type": "NewsArticle", "headline": "Rain",}', 2, id="as is, then repaired"),
        pytest.param("{", 1, id="beyond repair"),
    ],
)
def test_article_and_page_model_parse_a_json_ld_script_once(
    script: str, parses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    loads = json.loads

    def count(text: str, **options: Any) -> object:
        parsed.append(text)
        return loads(text, **options)

    tree = parse_page(f'<script type="application/ld+json">{script}</script><p>It rained.', url=URL)
    other = parse_page("<html lang=en><p>Read the model's weights before counting.")
    make_article(other, extract(other, [], "page"), ArticleSource())
    monkeypatch.setattr(json, "loads", count)
    score_blocks(tree)
    found = extract(tree, [], "page")
    make_article(tree, found, ArticleSource(URL, "gazette.example"))
    assert len(parsed) == parses


def test_truncated_is_written_only_if_true() -> None:
    cut = replace(article(), truncated=True)
    assert json.loads(cut.line())["truncated"] is True
    assert "truncated" not in json.loads(article().line())


def test_absent_fields_are_null_and_absent_lists_empty() -> None:
    row = json.loads(article().line())
    assert [row[name] for name in ("title", "date_publish", "guid", "free_access")] == [None] * 4
    assert [row[name] for name in ("authors", "tags", "images", "media")] == [[], [], [], []]


def test_a_located_title_is_trusted_more_than_a_stated_one() -> None:
    shown = replace(WRAPPER, title="//h1")
    assert article(linked(headline="Rain (old)"), "<h1>Rain</h1>", shown).title == "Rain"
    assert article(linked(headline="Rain (old)"), "<p>x</p>", shown).title == "Rain (old)"


@pytest.mark.parametrize("sign", ["¶", "\uf0c1"])
def test_the_sign_of_a_link_to_the_headline_is_not_in_the_title(sign: str) -> None:
    body = f"<h1>Rain gauges<a href=#rain>{sign}</a></h1><p>It rained."
    assert article("<title>Rain gauges - Manual</title>", body).title == "Rain gauges"


def test_the_feed_fills_what_the_page_leaves_out() -> None:
    entry = FeedEntry("Rain", "It rained.", published=NOON, authors=("Ann Lee",), tags=("rain",))
    found = article(entry=entry)
    assert (found.title, found.description, found.authors, found.tags) == (
        "Rain",
        "It rained.",
        ("Ann Lee",),
        ("rain",),
    )
    assert found.date_publish == "2026-03-06T12:00:00+00:00"


def test_by_is_removed_from_a_located_byline() -> None:
    located = replace(WRAPPER, author="//span")
    assert article(body="<span>By Ann Lee</span>", wrapper=located).authors == ("Ann Lee",)


def test_a_handle_is_an_author_only_where_no_name_is_found() -> None:
    head = "<meta name=author content=ann-lee>"
    assert article(head, "<h1>Rain</h1><p>By Ann Lee</p><p>It").authors == ("Ann Lee",)
    assert article(head, "<h1>Rain</h1><p>It rained.").authors == ("ann-lee",)


def test_an_account_without_a_name_is_no_author() -> None:
    head = "<meta name=author content=admin>"
    assert article(head, "<h1>Rain</h1><p>By Ann Lee</p><p>It").authors == ("Ann Lee",)
    entry = FeedEntry("Rain", "It rained.", authors=("Admin",))
    assert article(head, "<h1>Rain</h1><p>It rained.", entry=entry).authors == ()


@pytest.mark.parametrize(
    ("stated", "author"),
    [
        ("Von Ann Lee", "Ann Lee"),
        ("par Ann Lee", "Ann Lee"),
        ("Autorin: Ann Lee", "Ann Lee"),
        pytest.param("Von Lee", "Von Lee", id="a surname"),
        pytest.param("von der Lee", "von der Lee", id="a long surname"),
    ],
)
def test_words_before_a_stated_name_are_removed(stated: str, author: str) -> None:
    assert article(f'<meta name=author content="{stated}">').authors == (author,)


def test_the_site_s_name_is_not_an_author_next_to_people() -> None:
    head = '<meta property="og:site_name" content="The Gazette"><meta name=author content="%s">'
    assert article(head % "The Gazette; Ann Lee").authors == ("Ann Lee",)
    assert article(head % "gazette.example; Ann Lee").authors == ("Ann Lee",)
    # Alone it may sign an editorial; only siblings show that it is on every page.
    assert article(head % "The Gazette").authors == ("The Gazette",)
    common = replace(WRAPPER, common=("authors: thegazette",))
    assert article(head % "The Gazette", wrapper=common).authors == ()


def test_a_located_time_is_the_date() -> None:
    located = replace(WRAPPER, date="//time")
    body = "<time datetime=2026-03-06T08:00:00+01:00>today</time>"
    assert article(body=body, wrapper=located).date_publish == "2026-03-06T08:00:00+01:00"


def test_no_date_is_after_the_page_was_fetched() -> None:
    head = linked(datePublished="2026-03-09", dateModified="2026-03-10")
    found = article(head, entry=FeedEntry("Rain", published=NOON), fetched_at=NOON.timestamp())
    assert (found.date_publish, found.date_modify) == ("2026-03-06T12:00:00+00:00", None)


def test_a_change_before_the_publication_is_dropped() -> None:
    found = article(linked(datePublished="2026-03-06", dateModified="2020-01-01"))
    assert found.date_modify is None


@pytest.mark.parametrize(
    "date", ["0000-00-00", "99999-01-01", "2024-02-30", "1970-01-01", "\ud800"]
)
def test_an_impossible_date_is_null(date: str) -> None:
    assert article(linked(datePublished=date), fetched_at=NOON.timestamp()).date_publish is None


@pytest.mark.parametrize(
    ("value", "free"), [(True, True), ("False", False), ("http://schema.org/True", True), (3, None)]
)
def test_free_access_is_as_the_page_states(value: object, free: bool | None) -> None:
    assert article(linked(isAccessibleForFree=value)).free_access is free


def test_values_that_every_page_of_a_site_repeats_are_dropped() -> None:
    head = linked(datePublished="2020-01-01", image="http://gazette.example/logo.png")
    common = ("image: http://gazette.example/logo.png", "published: 2020-01-01T00:00:00+00:00")
    found = article(
        head, wrapper=replace(WRAPPER, common=common), entry=FeedEntry("R", published=NOON)
    )
    assert (found.image_url, found.date_publish) == (None, "2026-03-06T12:00:00+00:00")


def test_the_id_depends_on_url_and_words() -> None:
    one, other = article(body="<p>It rained.</p>"), article(body="<p>It <b>rained</b>\n.</p>")
    assert (one.id, one.content_hash) == (other.id, other.content_hash)
    assert article(body="<p>It snowed.</p>").id != one.id
    assert len(one.id) == 64


def test_the_parts_of_an_article_are_joined_without_repetition() -> None:
    one = "<h1>Rain</h1><p>By Ann Lee</p><p>It rained.</p><ul><li>Monday</ul>"
    two = "<h1>Rain</h1><p>By Ann Lee</p><ul><li>Tuesday</ul><p>It went on.</p>"
    trees = [parse_page(f"<main>{body}</main>", url=URL) for body in (one, two)]
    found = [extract(tree, [WRAPPER]) for tree in trees]
    joined = make_article(trees[0], found[0], ArticleSource(URL), found[1:])
    assert joined.title == "Rain"
    assert joined.text == "By Ann Lee\n\nIt rained.\n\n- Monday\n\n- Tuesday\n\nIt went on."
    assert joined.html.count("<ul>") == 2
    assert words_of_html(joined.html) == words_of_markdown(joined.markdown) == tokenize(joined.text)


def test_an_article_survives_pickling() -> None:
    found = article()
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301  our own bytes


@pytest.mark.parametrize(
    ("schema", "name", "value"),
    [
        ("newsplease", "maintext", "It rained."),
        ("newsplease", "source_domain", "gazette.example"),
        ("trafilatura", "date", "2026-03-06"),
        ("trafilatura", "author", "Ann Lee; Bo Ek"),
        ("trafilatura", "source", URL),
        ("newspaper", "publish_date", "2026-03-06T00:00:00+00:00"),
        ("schemaorg", "headline", "Rain"),
        ("schemaorg", "articleBody", "It rained."),
        ("schemaorg", "author", [{"@type": "Person", "name": it} for it in ("Ann Lee", "Bo Ek")]),
    ],
)
def test_schemas_use_the_names_of_other_tools(schema: str, name: str, value: object) -> None:
    head = linked(headline="Rain", datePublished="2026-03-06", author=["Ann Lee", "Bo Ek"])
    assert json.loads(article(head).line(schema))[name] == value  # type: ignore[arg-type]


def test_fields_are_chosen_in_order() -> None:
    assert list(json.loads(article().line(fields=["text", "id"]))) == ["text", "id"]
    with pytest.raises(UnknownNameError, match="headline"):
        article().line(fields=["headline"])


@pytest.mark.parametrize(
    "text", ["\ud800", "a\u2028b\u0085c", "a\x00b\x1bc", "\u202e", "</script>"]
)
def test_hostile_characters_break_no_line(text: str) -> None:
    head = linked(headline=text, description=text, author=text, keywords=text)
    entry = FeedEntry(text or "x", text, authors=(text,), tags=(text,), guid=text)
    line = article(head, body=f"<p>{text}</p>", entry=entry).line()
    assert line.isascii()
    assert len(line.splitlines()) == 1
    row = json.loads(line)
    controls = {chr(code) for code in range(32)} - {"\n", "\t"}
    for value in (row["title"], row["description"], row["text"], row["html"], *row["authors"]):
        assert not controls & set(value or "")


@given(st.text(), st.text(max_size=50), st.sampled_from(SCHEMAS))
def test_every_line_is_one_line_of_json(text: str, title: str, schema: str) -> None:
    tree = parse_page(f"<p>x{text}</p>")
    found = Extraction(select_elements(tree, [tree.body]), "page:plain")
    source = ArticleSource("http://a.example/" + title, "a", entry=FeedEntry(title, text))
    line = make_article(tree, found, source).line(schema)  # type: ignore[arg-type]
    assert line.isascii()
    assert "\n" not in line
    json.loads(line)


def test_the_bundled_sites_articles_have_their_titles_authors_and_days() -> None:
    """Compare with the pages' labels, which were not made with this program."""
    wrong: list[tuple[object, ...]] = []
    for site in bundled_sites():
        pages = [page for page in read_pages(str(site)) if page.gold is not None]
        trees = [parse_page(page.source, url=page.url) for page in pages]
        sample = [SamplePage(tree, page.entry) for tree, page in zip(trees, pages, strict=True)]
        wrappers = induce(sample, site=site.name)
        for page, tree in zip(pages, trees, strict=True):
            source = ArticleSource(page.url, site.name, entry=page.entry)
            found = make_article(tree, extract(tree, wrappers, "page"), source)
            if page.title and found.title != page.title:
                wrong.append((site.name, page.id, "title", found.title, page.title))
            if page.author and page.author not in found.authors:
                wrong.append((site.name, page.id, "author", found.authors, page.author))
            if page.date and (found.date_publish or "")[:10] != page.date[:10]:
                wrong.append((site.name, page.id, "date", found.date_publish, page.date))
    assert wrong == []


HOSTILE_BODIES: dict[str, tuple[Callable[[int], str], int]] = {
    "nested-bylines": (lambda n: "<div class=author>" * n + "read more", 1500),
    "many-bylines": (lambda n: "<span class=author>read more</span>" * n, 8_000),
    "byline-of-nothing": (lambda n: "<p class=author>" + "<i></i>" * n + "read more", 50_000),
    "nested-headlines": (lambda n: "<h1>" * n + "rain", 1500),
    "picture-of-pictures": (lambda n: "<picture>" + "<source srcset=/a><img>" * n, 3_000),
    "many-times": (lambda n: "<time datetime=x>6 March 2026</time>" * n, 8_000),
    "many-items": (lambda n: "<h1>Rain</h1>" + "<i itemtype=x>a</i>" * n, 40_000),
    "many-hidden": (lambda n: "<p>read more</p><i hidden>x</i>" * n, 40_000),
    "nested-tables": (lambda n: "<table><tr>" * n + "<td>a<td>b", 700),
    "many-links": (lambda n: "<a href=/x>" * n + "a", 20_000),
}


@pytest.mark.parametrize(("body_of", "size"), HOSTILE_BODIES.values(), ids=HOSTILE_BODIES)
def test_articles_of_hostile_pages_take_linear_time(
    body_of: Callable[[int], str], size: int
) -> None:
    assert_linear(lambda n: partial(article, body=body_of(n)), size)


def test_several_authors_in_one_string_are_split_in_the_page_s_language() -> None:
    page = linked(author={"name": "Ann Lee and Bo Ek, Nairobi"})
    assert article(page).authors == ("Ann Lee", "Bo Ek")


def test_the_outlet_is_not_the_author_where_a_byline_names_one() -> None:
    head = linked(author={"name": "The Gazette Newsroom"}, publisher={"name": "The Gazette"})
    body = "<h1>Rain</h1><p class=byline>By Ann Lee</p><p>It rained.</p>"
    assert article(head, body).authors == ("Ann Lee",)
    assert article(head).authors == ("The Gazette Newsroom",)
    assert article(head, entry=FeedEntry("Rain", authors=("Bo Ek",))).authors == ("Bo Ek",)


@pytest.mark.parametrize(
    ("stated", "fed", "date"),
    [
        ("2026-03-06", datetime(2026, 3, 6, 7, 40, tzinfo=UTC), "2026-03-06T07:40:00+00:00"),
        ("2026-03-06", datetime(2026, 3, 5, 7, 40, tzinfo=UTC), "2026-03-06T00:00:00+00:00"),
        ("2026-03-06T09:15:00Z", NOON, "2026-03-06T09:15:00+00:00"),
    ],
    ids=["same-day", "other-day", "page-has-a-time"],
)
def test_a_day_is_refined_by_the_feed_s_time(stated: str, fed: datetime, date: str) -> None:
    found = article(linked(datePublished=stated), entry=FeedEntry("Rain", published=fed))
    assert found.date_publish == date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Дождь шёл над городом и на холмах всю неделю, и это было хорошо. " * 5, "ru"),
        ("It rained on the town and in the hills for a week, and it was good. " * 5, "en"),
        ("Oskar Lindqvist Kerstin Malmberg Viggo Sandell Torbjorn Ekdahl " * 9, "en"),
    ],
    ids=["another", "as-stated", "only-names"],
)
def test_language_is_the_stated_one_unless_the_text_is_surely_in_another(
    text: str, expected: str
) -> None:
    assert extract_article(f"<html lang=en><title>A</title><p>{text}").language == expected
