"""`Article`: a page's content and metadata, ready for the archive.

The last stage of a page. `make_article` is pure and runs in a worker process; an article is a plain
value that is written as a line of JSON.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from forest_crawler.article.content.blocks import ListedImage, Media
from forest_crawler.article.content.forms import (
    DEFAULT_FORMS,
    FormOptions,
    read_parts,
    write_blocks,
)
from forest_crawler.article.content.headline import find_headline
from forest_crawler.article.content.lead_picture import add_lead_picture
from forest_crawler.article.fields import FieldSources, choose_fields, to_datetime
from forest_crawler.article.keywords import find_keywords
from forest_crawler.article.schemas import Schema, apply_schema, pick_fields
from forest_crawler.extraction.extraction import Extraction
from forest_crawler.feed.records import FeedEntry
from forest_crawler.metadata.headlines import read_headlines
from forest_crawler.metadata.titles import cut_permalink
from forest_crawler.page.pictures import PicturesBeside
from forest_crawler.page.tree import PageTree
from forest_crawler.text.terms import detect_language, is_foreign, is_language, tokenize_once
from forest_crawler.wrapper.wrapper import Wrapper, dump_wrappers


@dataclass(frozen=True, slots=True)
class ArticleSource:
    """Where an article's page came from; absent is `None`."""

    url: str | None = None
    site: str | None = None
    feed_url: str | None = None
    guid: str | None = None
    entry: FeedEntry | None = None
    http_status: int | None = None
    fetched_at: float | None = None  # seconds since 1970
    truncated: bool = False  # the end of the page may be missing


@dataclass(frozen=True, slots=True)
class Article:
    """An archived article. Dates are ISO 8601 with their time zone; absent is `None`."""

    id: str
    url: str | None
    canonical_url: str | None
    site: str | None
    sitename: str | None
    title: str | None
    authors: tuple[str, ...]
    date_publish: str | None
    date_modify: str | None
    date_download: str | None
    language: str | None
    description: str | None
    image_url: str | None
    images: tuple[ListedImage, ...]
    media: tuple[Media, ...]
    tags: tuple[str, ...]
    keywords: Mapping[str, float]  # its signifiers and their weights, heaviest first
    text: str
    html: str
    markdown: str
    feed_url: str | None
    guid: str | None
    free_access: bool | None
    extractor: str | None
    wrapper_id: str | None
    xpath: str | None
    confidence: float | None
    agreement: float | None
    quality: float | None
    http_status: int | None
    near_duplicate_of: str | None = None  # an earlier article's id, set by the archive
    version_of: str | None = None  # the id of its first version, set by the archive
    truncated: bool = False  # the end of its page may be missing; written only if true

    @property
    def content_hash(self) -> str:
        """A hash of the words alone, whatever the markup and blanks around them."""
        return _words_digest(self.text)

    def row(self, schema: Schema = "forest") -> dict[str, Any]:
        """Name the article's fields as a schema does."""
        row = {field.name: getattr(self, field.name) for field in fields(self)}
        # `asdict` of the whole article would copy each of its values.
        row["images"] = tuple(map(asdict, self.images))
        row["media"] = tuple(map(asdict, self.media))
        row["keywords"] = dict(self.keywords)
        return apply_schema(row, schema)

    def asdict(self) -> dict[str, Any]:
        """All fields by name, nested records as dictionaries."""
        return self.row()

    def line(self, schema: Schema = "forest", fields: Sequence[str] | None = None) -> str:
        """Write the article as one line of JSON.

        `schema` names the fields as another tool does; `fields` keeps some of them, in that order.
        """
        return write_row(self.row(schema), fields)


def write_row(row: Mapping[str, Any], fields: Sequence[str] | None = None) -> str:
    """Write fields as a line of JSON, in ASCII: U+2028 would break readers."""
    chosen = row if fields is None else pick_fields(row, fields)
    return json.dumps(chosen, ensure_ascii=True, allow_nan=False)


def make_article(
    tree: PageTree,
    extraction: Extraction,
    source: ArticleSource,
    further: Sequence[Extraction] = (),
    options: FormOptions = DEFAULT_FORMS,
) -> Article:
    """Make the article of a page from the nodes that were extracted from it.

    `further` are the other parts, in order, of an article over several pages. The headline is the
    title; text, HTML and Markdown begin with the body, unless `options` say otherwise.

    >>> from forest_crawler.extraction.extraction import extract
    >>> from forest_crawler.page.tree import parse_page
    >>> page = parse_page("<html lang=en><title>Rain</title><h1>Rain</h1><p>It <b>rained</b> on.")
    >>> article = make_article(page, extract(page, [], "plain"), ArticleSource())
    >>> article.title, article.markdown
    ('Rain', 'It **rained** on.')
    """
    wrapper, url = extraction.wrapper, source.url or tree.url
    fetched = to_datetime(source.fetched_at)
    chosen = choose_fields(FieldSources(tree, wrapper, source.entry, url, fetched))
    beside = PicturesBeside(extraction.selection)
    blocks = read_parts(extraction.selection, [part.selection for part in further], beside)
    title = chosen.located_title or find_headline(blocks, chosen.titles, read_headlines(tree))
    title = cut_permalink(title) if title else None
    blocks = add_lead_picture(blocks, beside, chosen.image)
    forms = write_blocks(blocks, title, options)
    language = _find_language(chosen.language, wrapper, forms.text)
    return Article(
        id=article_id(chosen.canonical or url, forms.text),
        url=url,
        canonical_url=chosen.canonical,
        site=source.site,
        sitename=chosen.sitename,
        title=title,
        authors=chosen.authors,
        date_publish=_iso(chosen.published),
        date_modify=_iso(chosen.modified),
        date_download=_iso(fetched),
        language=language,
        description=chosen.description,
        image_url=chosen.image or next((image.url for image in forms.images), None),
        images=forms.images,
        media=forms.media,
        tags=chosen.tags,
        keywords=find_keywords(forms.text, wrapper, language),
        text=forms.text,
        html=forms.html,
        markdown=forms.markdown,
        feed_url=source.feed_url,
        guid=source.guid,
        free_access=chosen.free_access,
        extractor=extraction.extractor,
        wrapper_id=wrapper_digest(extraction.used) if extraction.used else None,
        xpath=extraction.xpath,
        confidence=extraction.used.confidence if extraction.used else None,
        agreement=_round(extraction.agreement),
        quality=_round(extraction.quality),
        http_status=source.http_status,
        truncated=source.truncated,
    )


def _find_language(stated: str | None, wrapper: Wrapper | None, text: str) -> str:
    """Return the language that the page states, unless its text is surely in another one.

    Without a stated one, that of the wrapper's sample comes before detection, which takes longer.
    """
    tokens = tokenize_once(text)
    if stated and not is_foreign(tokens, stated):
        return stated
    known = wrapper.language if wrapper else None
    if known and is_language(tokens, known):
        return known
    found = detect_language(text)
    return found if stated is None or is_language(tokens, found) else stated


def article_id(url: str | None, text: str) -> str:
    """Derive an article's id from its URL and its words."""
    return _digest(f"{url or ''}\n{_words_digest(text)}")


@lru_cache(maxsize=1000)  # the same few for all pages of a site
def wrapper_digest(wrapper: Wrapper) -> str:
    """Derive a wrapper's short id, which is the same wherever it is stored."""
    return _digest(dump_wrappers([wrapper]))[:12]


@lru_cache(maxsize=8)  # needed for an article's id, and right afterwards for its hash
def _words_digest(text: str) -> str:
    return _digest(" ".join(tokenize_once(text)))


def _round(share: float | None) -> float | None:
    return None if share is None else round(share, 3)


def _iso(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
