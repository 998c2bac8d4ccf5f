"""`PageMetadata`: what a page's head, JSON-LD and markup say about it.

Induction reads it to learn where a site's pages show these values, extraction to fill an article's
fields. Each source has one function that returns a partial record; `read_metadata` merges them in
the order of trust:

1. `<link>` and `<html lang>`: written for machines, rarely wrong
2. JSON-LD of the article
3. Open Graph (`og:`, `article:`)
4. named meta elements and Dublin Core
5. Twitter cards: often shortened for the card
6. JSON-LD of the web page and the site, which may describe more than the article
7. microdata in the body
8. `rel=author`, bylines and `<time datetime>` in the body: this article's, or a neighbour's
9. `<title>`: nearly every page has one, with the site's name in it

The title that the page shows as its headline comes before all others, and so does an earlier date
beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from forest_crawler.metadata.bylines import read_bylines, read_linked_names
from forest_crawler.metadata.datelines import is_timed, read_other_date
from forest_crawler.metadata.headlines import read_headlines
from forest_crawler.metadata.microdata import (
    read_author_links,
    read_first_time,
    read_microdata,
)
from forest_crawler.metadata.structured_data import (
    Node,
    StructuredData,
    read_structured_data,
    type_names,
)
from forest_crawler.metadata.titles import common_title_affix, cut_name, prefer_shown
from forest_crawler.metadata.values import (
    pick_authors,
    pick_date,
    pick_language,
    pick_name,
    pick_tags,
    pick_text,
    pick_titles,
    pick_url,
)
from forest_crawler.page.tree import PageTree
from forest_crawler.urls.hosts import host_of, site_of

ZONE_DAYS = 1
"""Days that dates of the same moment may be apart because of time zones."""

_MAX_ELEMENTS = 1000  # max meta and max link elements read

_AUTHOR_NAMES = (
    "author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "parsely-author",
    "sailthru.author",
    "byl",
    "byline",
    "article.author",
    "creator",
)
_DATE_NAMES = (
    "date dc.date dcterms.date dc.date.issued dcterms.issued dc.date.created dcterms.created "
    "pubdate publishdate publish-date publication_date datepublished citation_publication_date "
    "parsely-pub-date"
).split()
_CHANGE_NAMES = "last-modified dcterms.modified dc.date.modified datemodified revised".split()
_DESCRIPTION_NAMES = ("description", "dc.description", "dcterms.description", "dcterms.abstract")
_SITE_NAMES = ("application-name", "apple-mobile-web-app-title", "dc.publisher")


@dataclass(frozen=True, slots=True)
class PageMetadata:
    """What a page says about itself; `titles` has the most trusted one first."""

    titles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    published: datetime | None = None
    modified: datetime | None = None
    description: str | None = None
    sitename: str | None = None
    image: str | None = None
    tags: tuple[str, ...] = ()
    language: str | None = None
    canonical: str | None = None
    kind: str | None = None  # as the page spells it: "NewsArticle", "article", "website"

    @property
    def title(self) -> str | None:
        """The most trusted title."""
        return self.titles[0] if self.titles else None


Metas = Mapping[str, Sequence[str]]

_FIELDS = tuple(field.name for field in fields(PageMetadata) if field.name != "titles")
_NOTHING = PageMetadata()


def read_metadata(tree: PageTree) -> PageMetadata:
    """Read what a page says about itself; absent is `None` or empty. Never raises.

    >>> from forest_crawler.page.tree import parse_page
    >>> page = b'<title>Rain | Gazette</title><meta property="og:site_name" content="Gazette"><p>It'
    >>> read_metadata(parse_page(page)).titles
    ('Rain', 'Rain | Gazette')
    """
    metas = _collect_metas(tree)
    links = _read_links(tree)
    data = read_structured_data(tree)
    stated = _merge(
        links,
        _read_article(data, tree, links.canonical),
        _read_open_graph(metas, tree),
        _read_named(metas),
        _read_twitter(metas, tree),
        _read_page_and_site(data, tree),
        _read_microdata(tree),
    )
    stated = replace(stated, published=_choose_published(tree, stated.published))
    merged = _merge(stated, _read_hints(tree, stated), _read_title(tree))
    for name in filter(None, (merged.sitename, *_host_names(tree.url))):
        merged = _cut_titles(merged, partial(cut_name, name=name))
    language = merged.language or tree.language
    headlines = read_headlines(tree, merged.titles)
    return replace(merged, titles=prefer_shown(merged.titles, headlines, merged.sitename, language))


def cut_site_name(pages: Sequence[PageMetadata]) -> list[PageMetadata]:
    """Take what most titles of a site share as its name, and cut it off them."""
    # If any candidate has the site's name in it, the longest one has.
    longest = [max(page.titles, key=lambda it: (len(it), it)) for page in pages if page.titles]
    affix = common_title_affix(longest)
    named = (replace(page, sitename=page.sitename or affix.name) for page in pages)
    return [_cut_titles(page, affix.cut) for page in named]


def _merge(*sources: PageMetadata) -> PageMetadata:
    """Take each field from the first source that has it, titles from all."""
    merged: dict[str, Any] = {}
    known = [source for source in sources if source is not _NOTHING]
    for name in _FIELDS:
        for source in known:
            if value := getattr(source, name):
                merged[name] = value
                break
    titles = dict.fromkeys(title for source in sources for title in source.titles)
    return PageMetadata(titles=tuple(titles), **merged)


def _cut_titles(page: PageMetadata, cut: Callable[[str], str]) -> PageMetadata:
    """Cut every title; the uncut ones stay candidates, after the cut ones."""
    return replace(page, titles=tuple(dict.fromkeys([*map(cut, page.titles), *page.titles])))


def _collect_metas(tree: PageTree) -> Metas:
    """Collect the contents of meta elements by their names in lower case."""
    metas: dict[str, list[str]] = {}
    for meta in islice(tree.head_elements("meta"), _MAX_ELEMENTS):
        content = meta.get("content")
        if content and not content.isspace():
            for name in {meta.get("property"), meta.get("name"), meta.get("itemprop")} - {None}:
                metas.setdefault(str(name).strip().lower(), []).append(content)
    return metas


def _host_names(url: str | None) -> list[str]:
    """List names that a site may use: its host, its domain, the domain's label."""
    host, site = host_of(url or ""), site_of(url or "")
    return [name for name in (host, site, site.partition(".")[0] if site else None) if name]


def _read_links(tree: PageTree) -> PageMetadata:
    for link in islice(tree.head_elements("link"), _MAX_ELEMENTS):
        rel = link.get("rel")
        if rel and "canonical" in rel.lower().split():
            canonical = pick_url([link.get("href") or ""], tree.url)
            return PageMetadata(language=tree.language, canonical=canonical)
    return PageMetadata(language=tree.language)


def _read_article(data: StructuredData, tree: PageTree, canonical: str | None) -> PageMetadata:
    node = data.find_article([canonical, tree.url])
    return _read_node(node, data, tree) if node else _NOTHING


def _read_page_and_site(data: StructuredData, tree: PageTree) -> PageMetadata:
    page, site = data.find_page(), data.find_site()
    found = _read_node(page, data, tree) if page else _NOTHING
    if found.sitename or not site:
        return found
    return replace(found, sitename=pick_name(data.texts(site.get("name"))))


def _read_node(node: Node, data: StructuredData, tree: PageTree) -> PageMetadata:
    def texts(*keys: str) -> list[str]:
        return [text for key in keys for text in data.texts(node.get(key))]

    return PageMetadata(
        titles=pick_titles(texts("headline", "name")),
        authors=pick_authors(texts("author") or texts("creator")),
        published=pick_date(texts("datePublished", "dateCreated")),
        modified=pick_date(texts("dateModified")),
        description=pick_text(texts("description")),
        sitename=pick_name(texts("publisher", "isPartOf")),
        image=pick_url(data.images(node.get("image")), tree.url),
        tags=pick_tags(texts("keywords")),
        language=pick_language(texts("inLanguage")),
        canonical=pick_url(data.urls(node.get("url")), tree.url),
        kind=pick_name(type_names(node)),
    )


def _read_open_graph(metas: Metas, tree: PageTree) -> PageMetadata:
    def contents(*names: str) -> list[str]:
        return _contents(metas, names)

    return PageMetadata(
        titles=pick_titles(contents("og:title")),
        authors=pick_authors(contents("article:author", "og:article:author")),
        published=pick_date(contents("article:published_time", "og:article:published_time")),
        modified=pick_date(contents("article:modified_time", "og:updated_time")),
        description=pick_text(contents("og:description")),
        sitename=pick_name(contents("og:site_name")),
        image=pick_url(contents("og:image", "og:image:secure_url", "og:image:url"), tree.url),
        tags=pick_tags(contents("article:tag")),
        language=pick_language(contents("og:locale")),
        canonical=pick_url(contents("og:url"), tree.url),
        kind=pick_name(contents("og:type")),
    )


def _read_named(metas: Metas) -> PageMetadata:
    return PageMetadata(
        titles=pick_titles(_contents(metas, ("dc.title", "dcterms.title", "headline", "title"))),
        authors=pick_authors(_contents(metas, _AUTHOR_NAMES)) or _labelled_author(metas),
        published=pick_date(_contents(metas, _DATE_NAMES)),
        modified=pick_date(_contents(metas, _CHANGE_NAMES)),
        description=pick_text(_contents(metas, _DESCRIPTION_NAMES)),
        sitename=pick_name(_contents(metas, _SITE_NAMES)),
        tags=pick_tags(_contents(metas, ("keywords", "news_keywords", "dc.subject"))),
        language=pick_language(_contents(metas, ("dc.language", "dcterms.language"))),
    )


def _labelled_author(metas: Metas) -> tuple[str, ...]:
    """Read the author from Twitter cards, which have two values labelled by the site."""
    for label in ("1", "2"):
        text = " ".join(_contents(metas, (f"twitter:label{label}",))).lower()
        if "by" in text.split() or "author" in text:
            return pick_authors(_contents(metas, (f"twitter:data{label}",)))
    return ()


def _read_twitter(metas: Metas, tree: PageTree) -> PageMetadata:
    return PageMetadata(
        titles=pick_titles(_contents(metas, ("twitter:title",))),
        description=pick_text(_contents(metas, ("twitter:description",))),
        image=pick_url(_contents(metas, ("twitter:image", "twitter:image:src")), tree.url),
    )


def _read_microdata(tree: PageTree) -> PageMetadata:
    found = read_microdata(tree)
    if not found:
        return _NOTHING

    def values(name: str) -> list[str]:
        return [found[name]] if name in found else []

    return PageMetadata(
        titles=pick_titles(values("headline")),
        authors=pick_authors(values("author")),
        published=pick_date(values("datePublished")),
        modified=pick_date(values("dateModified")),
        description=pick_text(values("description")),
        image=pick_url(values("image"), tree.url),
    )


def _read_hints(tree: PageTree, stated: PageMetadata) -> PageMetadata:
    """Search the body for an author where none is stated."""
    if stated.authors:
        return _NOTHING
    links = read_author_links(tree)
    named = pick_authors(read_linked_names(links, tree.language))
    authors = named or pick_authors(read_bylines(tree)) or pick_authors(links)
    return PageMetadata(authors=authors) if authors else _NOTHING


def _choose_published(tree: PageTree, stated: datetime | None) -> datetime | None:
    """Take the stated date, or else that of a time element, unless the headline's contradicts it.

    A page that was moved or built anew may state that day, but shows the earlier one. A time
    element that differs is a comment's or another article's.
    """
    found = stated or pick_date([read_first_time(tree) or ""])
    shown = read_other_date(tree, found) if found else None
    if not found or not shown or (stated and is_timed(tree, stated)):
        return found
    days = (found.date() - shown.date()).days
    return shown if days > ZONE_DAYS or (days < -ZONE_DAYS and not stated) else found


def _read_title(tree: PageTree) -> PageMetadata:
    title = next(tree.head_elements("title"), None)
    return PageMetadata(titles=pick_titles([title.text or ""] if title is not None else []))


def _contents(metas: Metas, names: Iterable[str]) -> list[str]:
    return [content for name in names for content in metas.get(name, ())]
