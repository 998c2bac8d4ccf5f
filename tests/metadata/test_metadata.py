"""Every source of metadata is read, and the more trusted one wins."""

import json
from datetime import datetime
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.metadata.microdata import PROPERTIES
from forest_crawler.metadata.page_metadata import PageMetadata, cut_site_name, read_metadata
from forest_crawler.page.tree import parse_page

URL = "http://gazette.example/2026/rain.html"


def read(head: str = "", body: str = "<p>It rained.</p>") -> PageMetadata:
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    return read_metadata(parse_page(html, url=URL))


def linked(**values: object) -> str:
    data = {"@type": "NewsArticle", **values}
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


def meta(name: str, content: str) -> str:
    return f'<meta name="{name}" content="{content}">'


def og(name: str, content: str) -> str:
    return f'<meta property="{name}" content="{content}">'


def test_a_page_without_metadata_has_an_empty_record() -> None:
    assert read() == PageMetadata()


@pytest.mark.parametrize(
    ("head", "field", "value"),
    [
        ("<title> Rain\n at last </title>", "title", "Rain at last"),
        (linked(headline="Rain"), "title", "Rain"),
        (og("og:title", "Rain"), "title", "Rain"),
        (meta("twitter:title", "Rain"), "title", "Rain"),
        (meta("DC.title", "Rain"), "title", "Rain"),
        (linked(author={"name": "Ann Lee"}), "authors", ("Ann Lee",)),
        (og("article:author", "Ann Lee"), "authors", ("Ann Lee",)),
        (meta("author", "Ann Lee; Bo Ek"), "authors", ("Ann Lee", "Bo Ek")),
        (meta("author", "Ann Lee, Bo Ek"), "authors", ("Ann Lee", "Bo Ek")),
        (meta("author", "Lee, Ann"), "authors", ("Lee, Ann",)),
        (og("article:author", "https://people.example/ann"), "authors", ()),
        (meta("author", " "), "authors", ()),
        (meta("description", "It  rains."), "description", "It rains."),
        (og("og:description", "It rains."), "description", "It rains."),
        (og("og:site_name", "Gazette"), "sitename", "Gazette"),
        (linked(publisher={"name": "Gazette"}), "sitename", "Gazette"),
        (og("og:image", "/rain.jpg"), "image", "http://gazette.example/rain.jpg"),
        (linked(image=[{"url": "/a.jpg"}]), "image", "http://gazette.example/a.jpg"),
        (og("og:image", "data:image/gif;base64,R0"), "image", None),
        (og("og:image", "http://[broken"), "image", None),
        (meta("keywords", "rain, Sun,rain,"), "tags", ("rain", "Sun")),
        (og("article:tag", "rain") + og("article:tag", "sun"), "tags", ("rain", "sun")),
        (linked(keywords=["rain", "sun"]), "tags", ("rain", "sun")),
        (og("og:locale", "fr_FR"), "language", "fr"),
        (linked(inLanguage="pt-BR"), "language", "pt"),
        ('<link rel="canonical" href="/rain">', "canonical", "http://gazette.example/rain"),
        (og("og:url", "/rain"), "canonical", "http://gazette.example/rain"),
        ('<link rel="canonical" href="javascript:0">', "canonical", None),
        (og("og:type", "article"), "kind", "article"),
        (linked(), "kind", "NewsArticle"),
    ],
)
def test_each_source_is_read(head: str, field: str, value: object) -> None:
    assert getattr(read(head), field) == value


@pytest.mark.parametrize(
    ("head", "body"),
    [
        pytest.param(linked(datePublished="2026-03-06T10:15:00+01:00"), "", id="JSON-LD"),
        pytest.param(og("article:published_time", "2026-03-06T10:15:00+01:00"), "", id="og"),
        pytest.param(meta("dcterms.date", "2026-03-06T10:15:00+01:00"), "", id="Dublin Core"),
        pytest.param(
            "", '<span itemprop="datePublished" content="2026-03-06T10:15:00+01:00">', id="itemprop"
        ),
        pytest.param("", '<time datetime="2026-03-06T10:15:00+01:00">Friday</time>', id="time"),
    ],
)
def test_the_date_is_read_with_its_zone(head: str, body: str) -> None:
    assert read(head, f"<p>{body}</p>").published == datetime.fromisoformat(
        "2026-03-06T10:15:00+01:00"
    )


def test_an_impossible_date_is_replaced_by_the_next_source_s() -> None:
    head = linked(datePublished="soon") + og("article:published_time", "2026-03-06")
    published = read(head).published
    assert published is not None
    assert published.day == 6


@pytest.mark.parametrize(
    "start",
    [
        pytest.param("<b>Warning</b>: no such table<br><html><head>", id="a server's message"),
        pytest.param("<html><head>&nbsp;", id="a blank"),
        pytest.param("<html><head><img src=/rain.jpg>", id="a picture"),
    ],
)
def test_a_head_that_ends_early_is_read_to_its_end(start: str) -> None:
    head = "<title>Rain</title><meta name=author content='Ann Lee'><link rel=canonical href=/rain>"
    found = read_metadata(parse_page(f"{start}{head}</head><body><p>It rained", url=URL))
    assert (found.title, found.authors) == ("Rain", ("Ann Lee",))
    assert found.canonical == "http://gazette.example/rain"


def test_titles_and_metas_inside_the_body_are_not_the_page_s() -> None:
    icon = "<svg><title>Umbrella</title></svg><div><meta name=author content=Troll></div>"
    found = read(body=f"<p>It rained.</p>{icon}")
    assert (found.title, found.authors) == (None, ())


def test_metas_directly_in_the_body_count_only_where_the_head_has_no_title() -> None:
    stray = "<meta name=author content=Troll><link rel=canonical href=/troll><p>It rained."
    found = read_metadata(parse_page(f"<head><title>Rain</title></head><body>{stray}", url=URL))
    assert (found.title, found.authors, found.canonical) == ("Rain", (), None)


def test_the_headline_s_kicker_is_not_in_the_title() -> None:
    body = "<h1><i>Weather |</i> Rain stops the fair</h1>"
    assert read(og("og:title", "Rain stops the fair"), body).title == "Rain stops the fair"


@pytest.mark.parametrize(
    ("stated", "shown", "day"),
    [
        pytest.param("2026-04-09", "6 March 2026", "2026-03-06", id="built anew"),
        pytest.param("2026-04-09", "10 May 2026", "2026-04-09", id="changed"),
        pytest.param("2026-03-07T01:30:00+00:00", "6 March 2026", "2026-03-07", id="zone"),
    ],
)
def test_an_earlier_date_beside_the_headline_corrects_the_stated_one(
    stated: str, shown: str, day: str
) -> None:
    found = read(linked(datePublished=stated), f"<h1>Rain</h1><p>{shown}<p>It rained").published
    assert found is not None
    assert found.date().isoformat() == day


@pytest.mark.parametrize(
    ("shown", "day"),
    [
        pytest.param("3 hours ago", "2026-04-09", id="since"),
        pytest.param("6 March 2026", "2026-03-06", id="built anew"),
    ],
)
def test_a_time_beside_the_headline_confirms_the_stated_date(shown: str, day: str) -> None:
    time = f"<p>By Ann Lee, <time datetime=2026-04-09T10:15Z>{shown}</time></p>"
    body = f"<h1>Rain</h1>{time}<h3>Floods</h3><p>6 March 2026</p>"
    found = read(linked(datePublished="2026-04-09"), body).published
    assert found is not None
    assert found.date().isoformat() == day


@pytest.mark.parametrize(
    ("shown", "day"),
    [
        pytest.param("10 May 2026", "2026-05-10", id="a comment's"),
        pytest.param("9 April 2026", "2026-04-09", id="the article's"),
    ],
)
def test_a_date_beside_the_headline_is_trusted_more_than_a_time(shown: str, day: str) -> None:
    time = '<time datetime="2026-04-09T10:15:00+01:00">At ten</time>'
    found = read(body=f"<h1>Rain</h1><p>{shown}</p><p>It rained</p>{time}").published
    assert found is not None
    assert found.date().isoformat() == day


def test_a_modification_date_is_not_taken_for_publication() -> None:
    found = read(og("article:modified_time", "2026-03-06"))
    assert found.published is None
    assert found.modified is not None


@pytest.mark.parametrize(
    ("body", "authors"),
    [
        pytest.param('<b itemprop="author">Ann Lee</b>', ("Ann Lee",), id="itemprop"),
        pytest.param(
            '<p itemprop="author">By <b itemprop="name">Ann Lee</b>, Rome</p>',
            ("Ann Lee",),
            id="name inside",
        ),
        pytest.param('<a rel="nofollow author">Ann Lee</a>', ("Ann Lee",), id="rel"),
        pytest.param(
            '<p><a rel="author">Ann Lee</a> and <a rel="author">Bo Ek</a></p>'
            '<p><a rel="author">Cy Orr</a></p>',
            ("Ann Lee", "Bo Ek"),
            id="those beside the first, not a neighbour's",
        ),
        pytest.param(
            '<div itemtype="https://schema.org/Comment"><b itemprop="author">Troll</b></div>',
            (),
            id="not a reader",
        ),
        pytest.param('<aside><a rel="author">Ann Lee</a></aside>', (), id="not in the margin"),
        pytest.param(
            '<p itemprop="author"><meta itemprop="name" content="Ann Lee"><a>ann</a> 12 badges</p>',
            ("Ann Lee",),
            id="name stated inside",
        ),
        pytest.param('<meta itemprop="author" content="Ann Lee">', ("Ann Lee",), id="stated"),
        pytest.param(
            '<div itemtype="https://schema.org/Comment"><meta itemprop="author" content="Troll">'
            "</div>",
            (),
            id="not a reader, stated",
        ),
        pytest.param(
            '<a rel="author">View all posts</a><h1>Rain</h1><p class="byline">Ann Lee</p>',
            ("Ann Lee",),
            id="not what a link says to do",
        ),
        pytest.param(
            '<a rel="author">Jonathan Head</a> and <a rel="author">Bo Ek</a>',
            ("Jonathan Head", "Bo Ek"),
            id="a surname that is also a job",
        ),
        pytest.param('<a rel="author">The editors</a>', ("The editors",), id="rather than none"),
        pytest.param('<b itemprop="author">4711</b>', (), id="not a number"),
    ],
)
def test_the_body_s_markup_names_authors(body: str, authors: tuple[str, ...]) -> None:
    assert read(body=f"<div>{body}</div>").authors == authors


def test_dates_that_the_body_states_unseen_are_read() -> None:
    stated = '<meta itemprop="datePublished" content="2026-03-06T07:30:00Z">'
    found = read(body=f"<article>{stated}<p>It rained.</p></article>").published
    assert found == datetime.fromisoformat("2026-03-06T07:30:00+00:00")
    seen = '<time itemprop="datePublished" datetime="2026-03-07">today</time>'
    later = read(body=f"<article>{stated}{seen}<p>It rained.</p></article>").published
    assert later is not None
    assert later.day == 7
    assert read(body=f"<aside>{stated}</aside><p>It rained.</p>").published is None


def test_what_the_body_states_about_author_publisher_and_reviews_is_not_the_article_s() -> None:
    body = (
        '<div itemprop="publisher" itemscope><meta itemprop="image" content="/logo.png"></div>'
        '<div itemprop="review" itemscope><b itemprop="author">Troll</b>'
        '<meta itemprop="datePublished" content="2026-03-01"></div>'
        '<div itemprop="author" itemscope><meta itemprop="name" content="Ann Lee">'
        '<p itemprop="description">She likes rain.</p></div>'
        '<meta itemprop="image" content="http://gazette.example/rain.png"><p>It rained.</p>'
    )
    found = read(body=f"<article itemscope>{body}</article>")
    assert (found.authors, found.image) == (("Ann Lee",), "http://gazette.example/rain.png")
    assert (found.published, found.description) == (None, None)


def test_a_headline_after_which_and_long_before_which_no_element_begins_is_survived() -> None:
    nested = f"{'<b>' * 30}x{'</b>y' * 29}</b>Rain stops the fair"
    found = read("<title>Rain stops the fair</title>", f"<aside>Home</aside>{nested}")
    assert (found.titles, found.authors) == (("Rain stops the fair",), ())


def test_titles_come_in_the_documented_order_of_trust() -> None:
    head = (
        "<title>nine</title>"
        + meta("twitter:title", "five")
        + meta("dc.title", "four")
        + og("og:title", "three")
        + linked(headline="two")
    )
    found = read(head, '<p itemprop="headline">seven</p>')
    assert found.titles == ("two", "three", "four", "five", "seven", "nine")
    assert found.title == "two"


def test_the_head_s_author_is_trusted_more_than_the_body_s() -> None:
    assert read(meta("author", "Ann Lee"), '<a rel="author">Bo Ek</a>').authors == ("Ann Lee",)


def test_the_link_to_the_canonical_page_is_trusted_more_than_og_url() -> None:
    found = read(og("og:url", "/b") + '<link rel="canonical" href="/a">')
    assert found.canonical == "http://gazette.example/a"


def test_the_site_s_name_is_cut_off_and_the_whole_title_stays_the_last_candidate() -> None:
    found = read("<title>Rain | Gazette</title>" + og("og:site_name", "Gazette"))
    assert found.titles == ("Rain", "Rain | Gazette")


def test_siblings_reveal_the_site_s_name() -> None:
    pages = [PageMetadata(titles=(f"{word} – Kettle & Kiln",)) for word in ("Ash", "Tea", "Clay")]
    corrected = cut_site_name(pages)
    assert [page.title for page in corrected] == ["Ash", "Tea", "Clay"]
    assert {page.sitename for page in corrected} == {"Kettle & Kiln"}


def test_megabytes_in_the_head_are_bounded() -> None:
    head = meta("description", "rain " * 100_000) + meta("keywords", "a," * 100_000)
    found = read(head + meta("author", "x" * 100_000) + "<title>" + "long " * 100_000 + "</title>")
    assert len(found.description or "") <= 5000
    assert found.authors == ()
    assert len(found.title or "") <= 1000


NAMES = "og:title og:image og:url og:locale article:author article:published_time author keywords"


@given(st.lists(st.tuples(st.sampled_from(NAMES.split()), st.text())), st.text(), st.text())
def test_no_content_raises(metas: list[tuple[str, str]], title: str, shown: str) -> None:
    head = "".join(meta(name, escape(content)) for name, content in metas)
    spans = "".join(f'<b itemprop="{it}">{escape(shown)}</b>' for it in PROPERTIES)
    found = read(f"<title>{escape(title)}</title>{head}", f"<p>{spans}</p>")
    assert all(text == " ".join(text.split()) != "" for text in found.titles + found.authors)


def labelled(site: str) -> list[LabelledPage]:
    return list(read_pages(next(it for it in bundled_sites() if it.name == site)))


def test_an_image_is_found_by_its_id() -> None:
    graph = [
        {"@type": "Article", "image": {"@id": "http://gazette.example/#primary"}},
        {"@type": "ImageObject", "@id": "http://gazette.example/#primary", "url": "/a.jpg"},
    ]
    page = f'<script type="application/ld+json">{json.dumps({"@graph": graph})}</script>'
    assert read(page).image == "http://gazette.example/a.jpg"
    nameless = f'<script type="application/ld+json">{json.dumps({"@graph": graph[:1]})}</script>'
    assert read(nameless).image is None


def test_the_title_that_the_page_shows_as_its_headline_comes_first() -> None:
    head = og("og:title", "Rain at last | Weather") + "<title>Rain at last – Weather – G</title>"
    assert read(head, "<h1>Gazette</h1><h1>Rain at last</h1>").title == "Rain at last"
    assert read(head, "<h1>Weather</h1><p>It").title == "Rain at last | Weather"
    assert read(head, "<h1>Snow</h1><p>It").title == "Rain at last | Weather"


COMMENT = "https://schema.org/Comment"


@pytest.mark.parametrize(
    ("body", "authors"),
    [
        ("<h1>Rain</h1><p>By Ann Lee</p><p>It", ("Ann Lee",)),
        ("<h1>Rain</h1><p class=byline>Ann Lee and Bo Ek, 6 March 2026<p>It", ("Ann Lee", "Bo Ek")),
        ("<h1>Rain</h1><a href=/author/ann-lee/>Ann Lee</a><p>It", ("Ann Lee",)),
        (
            "<h1>Rain</h1><div class=post-author><b class=author-name>Ann Lee</b> 12 posts</div>",
            ("Ann Lee",),
        ),
        ("<h1>Rain</h1><div class=byline>Read more</div><p>It", ()),
        ("<h1>Rain</h1><p>By Monday it had rained for a whole week, and nobody cared.</p>", ()),
        ("<h1>Rain</h1><aside><p class=author>Bo Ek</aside><p>It", ("Bo Ek",)),
        (f"<h1>Rain</h1><p>{'It rained. ' * 30}<aside><p class=author>Bo Ek</aside>", ()),
        ("<article><h1>Rain</h1><footer><p class=author>Bo Ek</footer></article>", ("Bo Ek",)),
        ("<h1>Rain</h1><p>It rained.</p><footer><a href=/people/acme>Acme Ltd</a></footer>", ()),
        ("<aside><p class=author>Bo Ek</aside><h1>Rain</h1><p>It rained.", ()),
        ("<main><aside><p class=author>Bo Ek</aside><h1>Rain</h1></main>", ("Bo Ek",)),
        ("<h1>Rain</h1><aside><p>By Bo Ek</aside><p>It rained.", ()),  # of another article
        (f"<h1>Rain</h1><aside itemtype={COMMENT}><b class=author>A Troll</b></aside>", ()),
        ("<nav><a href=/team/sales>Sales Team</a></nav><h1>Rain</h1><p>It rained.", ()),
        ("<nav><h1>Rain</h1><p class=author>Bo Ek</p></nav><p>It rained.", ("Bo Ek",)),
        (f"<h1>Rain</h1><p>It<div itemtype={COMMENT}><b class=author>A Troll</b></div>", ()),
        ("<h1>Rain</h1><p class=byline>Von Ann Lee 7. April 2026, 09:10 Uhr</p>", ("Ann Lee",)),
    ],
)
def test_authors_are_read_from_bylines(body: str, authors: tuple[str, ...]) -> None:
    assert read(body=body).authors == authors


@pytest.mark.parametrize("site", [site.name for site in bundled_sites()])
def test_titles_of_a_bundled_site_are_those_of_its_gold(site: str) -> None:
    pages = labelled(site)
    corrected = cut_site_name([read_metadata(parse_page(p.source, url=p.url)) for p in pages])
    assert [found.title for found in corrected] == [page.title for page in pages]


# Read by hand from the sites' heads. The other sites name authors only in their text or feeds;
# valley-minutes and umibe-tsushin have no date in their markup.
@pytest.mark.parametrize("site", ["gazette-des-cols", "harbour-gazette", "signal-stack", "talbote"])
def test_authors_in_the_head_are_those_of_the_gold(site: str) -> None:
    for page in labelled(site):
        found = read_metadata(parse_page(page.source, url=page.url))
        assert found.authors == ((page.author,) if page.author else ())


@pytest.mark.parametrize(
    "site",
    [site.name for site in bundled_sites() if site.name not in ("valley-minutes", "umibe-tsushin")],
)
def test_dates_in_the_markup_are_those_of_the_gold(site: str) -> None:
    for page in labelled(site):
        found = read_metadata(parse_page(page.source, url=page.url))
        assert found.published == datetime.fromisoformat(page.date or "")
