"""The article's text where the page has none, or only its beginning: from its feed or its JSON-LD.

For pages that scripts fill, and for walls. A feed may have the whole text (`content:encoded`), and
JSON-LD may state it (`articleBody`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape, unescape

from forest_crawler.errors import EmptyPageError
from forest_crawler.extraction.extraction import Extraction
from forest_crawler.feed.records import FeedEntry
from forest_crawler.metadata.structured_data import read_structured_data
from forest_crawler.page.selection import select_elements
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page_model.outcome import MIN_TEXT
from forest_crawler.text.terms import tokenize

BY_FEED = "feed"
BY_STRUCTURED_DATA = "structured-data"
STATED = frozenset({BY_FEED, BY_STRUCTURED_DATA})
"""The extractors' names."""

MIN_WORDS = 50
"""Min words of a stated text; shorter ones are teasers."""

MIN_FEED_SHARE = 0.8
"""Share of the words in `articleBody` from which the feed's text is taken: it has markup."""

MIN_TIMES = 3
"""Times as many words as a page shows that its JSON-LD has if the page shows only the beginning.

Of the labelled pages that state a text, none whose article was found whole states 1.7 times as many
words.
"""

MIN_HEADLINE_SHARE = 0.5
"""Share of a stated article's headline that a page shows if it is the page's article."""

MAX_LENGTH = 500_000
"""Max characters of a stated text that are read."""

_ARTICLE_BODY = "articleBody"
_CUT = re.compile(
    r"(?:…|\.\.\.|\[…\]|\[\.\.\.\])\W*(?:(?:continue|read|weiter)\b.{0,60})?$", re.IGNORECASE
)
_MARKUP = re.compile(r"<(?:p|br|div|h[1-6]|ul|ol|li|blockquote|figure|img|a)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Stated:
    extraction: Extraction
    words: int


def extract_stated(
    tree: PageTree | None, entry: FeedEntry | None, url: str | None = None
) -> Extraction | None:
    """Take the article from the page's feed entry or its JSON-LD; `None` if neither has it.

    >>> page = parse_page("<div id=app></div>")
    >>> entry = FeedEntry("Rain", content="<p>" + "It rained all day long. " * 20)
    >>> extract_stated(page, entry).extractor
    'feed'
    """
    url = url or (tree.url if tree is not None else None)
    fed = _read(entry.content if entry else None, BY_FEED, url)
    body = _article_body(tree) if tree is not None else None
    stated = _read(_as_markup(body) if body else None, BY_STRUCTURED_DATA, url)
    chosen = fed or stated
    if fed and stated and fed.words < MIN_FEED_SHARE * stated.words:
        chosen = stated
    return chosen.extraction if chosen else None


def prefer_stated(
    found: Extraction | None, tree: PageTree | None, entry: FeedEntry | None = None
) -> Extraction | None:
    """Replace a text of no more than a few words, or a mere beginning, by the stated one."""
    if found is not None and found.selection and count_words(found) >= MIN_TEXT:
        return (tree and find_longer(tree, found)) or found
    return extract_stated(tree, entry) or found


def find_longer(tree: PageTree, found: Extraction) -> Extraction | None:
    """Return the text that a page's JSON-LD states if the page shows only its beginning.

    >>> body = "It rained all day long. " * 20
    >>> page = parse_page(
    ...     "<script type=application/ld+json>"
    ...     f'{{"@type": "NewsArticle", "articleBody": "{body}"}}</script>'
    ...     "<p>It rained all day long, and the river rose. Subscribe to read on."
    ... )
    >>> shown = Extraction(select_elements(page, [page.body]), "page:page")
    >>> find_longer(page, shown).extractor
    'structured-data'
    """
    if not any(_ARTICLE_BODY in script for script in tree.structured):
        return None
    body = _article_body(tree)
    if body is None or len(body) < MIN_TIMES * sum(map(len, found.selection.lines())):
        return None  # as on nearly all pages; what follows takes longer
    stated = _read(_as_markup(body), BY_STRUCTURED_DATA, tree.url)
    if stated is None or stated.words < MIN_TIMES * count_words(found):
        return None
    return stated.extraction if _has_headline(tree, found) else None


def _has_headline(tree: PageTree, found: Extraction) -> bool:
    """Whether a page shows the headline of its JSON-LD's article, if that has one.

    Else it may be another article, if it doesn't have the page's URL.
    """
    data = read_structured_data(tree)
    article = data.find_article([tree.url]) or {}
    names = ("url", "@id", "mainEntityOfPage")
    urls = {url for name in names for url in data.urls(article.get(name))}
    words = {word for text in data.texts(article.get("headline")) for word in tokenize(text)}
    if not words or (tree.url and tree.url in urls):
        return True
    title = next((it.text for it in tree.head_elements("title")), None) or ""
    shown = {word for line in (title, *found.selection.lines()) for word in tokenize(line)}
    return len(words & shown) >= MIN_HEADLINE_SHARE * len(words)


def count_words(extraction: Extraction) -> int:
    """Count the words that were extracted."""
    return sum(len(tokenize(line)) for line in extraction.selection.lines())


def _article_body(tree: PageTree) -> str | None:
    """Return the `articleBody` of the page's article."""
    article = read_structured_data(tree).find_article([tree.url])
    body = article.get(_ARTICLE_BODY) if article else None
    return body if isinstance(body, str) else None


def _as_markup(body: str) -> str:
    """Return an `articleBody` as HTML, which it may be already."""
    text = unescape(body[:MAX_LENGTH])
    if _MARKUP.search(text):
        return text
    return "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip())


def _read(markup: str | None, extractor: str, url: str | None) -> _Stated | None:
    """Read a stated text; `None` if there is none, or only a teaser."""
    if not markup:
        return None
    try:
        tree = parse_page(f"<html><body>{markup[:MAX_LENGTH]}</body></html>", url=url)
    except EmptyPageError:
        return None
    found = Extraction(select_elements(tree, [tree.body]), extractor)
    words = count_words(found)
    if words < MIN_WORDS or _CUT.search(found.selection.text[-120:]):
        return None
    return _Stated(found, words)
