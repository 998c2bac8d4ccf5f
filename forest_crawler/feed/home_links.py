"""The article links of a home page, for sites with neither feed nor sitemap.

A home page lists its articles in uniform rows: URLs of one shape, below one path of elements, each
with a headline as its text. Links are grouped by this make, and each group is judged as a whole.
Only structure counts; there are no rules for particular sites.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.urls.canonical import url_key
from forest_crawler.urls.hosts import site_of
from forest_crawler.urls.link_keys import key_links
from forest_crawler.urls.policy import ANYWHERE, refuse_url

MAX_LINKS = 500
"""Max article links taken from one page."""

MAX_ANCHORS = 5000
"""Max links examined; home pages have some hundreds."""

ENOUGH = 4.0
"""Evidence from which a link is an article's. A headline as text (2) and one sign in the URL need
a second sign, or siblings of the same make."""

_LONG_TEXT = 24
_SHORT_TEXT = 12
"""Min characters of a headline, and of a possible one; section names are shorter. Letters of
scripts without blanks count twice."""
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")

_DATE = re.compile(r"/(?:19|20)\d\d(?:[/-]?(?:0?[1-9]|1[0-2]))(?:[/-]|\d\d|$)")
_YEAR = re.compile(r"/(?:19|20)\d\d/")
_NUMBER = re.compile(r"\d{5,}|=\d{2,}")
_OTHER_PAGES = re.compile(
    r"/(?:tags?|topics?|categor(?:y|ies)|authors?|users?|page|search|login|account|archives?)/",
    re.IGNORECASE,
)
_OTHER_FILES = re.compile(
    r"\.(?:jpe?g|png|gif|svg|webp|ico|pdf|docx?|xlsx?|zip|gz|mp[34]|m4a|ogg|css|js|xml|rss|atom|json)$",
    re.IGNORECASE,
)
_OTHER_RELATIONS = frozenset("tag author category nofollow next prev search help license".split())
_CONTENT = frozenset(["article", "main"])
_FRAME = {"nav": -3.0, "footer": -3.0, "aside": -1.0}
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5"])
_MAX_PIECES = 50  # text nodes of a link; a headline has fewer
_NEAREST = 4  # ancestors whose tags are part of a link's make
_FARTHEST = 12  # max ancestors examined: bounds the cost of a link on deep pages

Make = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class ArticleLink:
    """A link that looks like an article's, with the text of its best anchor."""

    url: str
    text: str


@dataclass(frozen=True, slots=True)
class _Link:
    url: str
    text: str
    evidence: float
    make: Make


def discover_articles(tree: PageTree, *, url: str) -> list[ArticleLink]:
    """List the links of a page that look like its site's articles, in order.

    Callers still apply `refuse_url` and the site's caps before they fetch any.
    """
    best: dict[str, _Link] = {}
    links = list(_links(tree, url))
    for link, keyed in zip(links, key_links([link.url for link in links]), strict=True):
        key = keyed.key if keyed else link.url
        if key not in best or link.evidence > best[key].evidence:
            best[key] = link
    makes: defaultdict[Make, list[_Link]] = defaultdict(list)
    for link in best.values():
        makes[link.make].append(link)
    chosen = {make for make, links in makes.items() if _judge(links) >= ENOUGH}
    found = [ArticleLink(link.url, link.text) for link in best.values() if link.make in chosen]
    return found[:MAX_LINKS]


def _judge(links: list[_Link]) -> float:
    mean = sum(link.evidence for link in links) / len(links)
    return mean + (len(links) >= 3)


def _links(tree: PageTree, url: str) -> Iterator[_Link]:
    site, own = site_of(url), url_key(url)
    base = _base(tree, url)
    for anchor in islice(tree.body.iter("a"), MAX_ANCHORS):
        target = _target(anchor, base)
        if target is None or site_of(target) != site or url_key(target) == own:
            continue
        pieces = (str(piece) for piece in islice(anchor.itertext(), _MAX_PIECES))
        text = " ".join(" ".join(pieces).split())
        ancestors = _ancestors(anchor)
        evidence = (
            _url_evidence(target) + _text_evidence(text) + _position_evidence(anchor, ancestors)
        )
        path = tuple(str(e.tag) for e in ancestors[:_NEAREST])
        yield _Link(target, text, evidence, (path, _shape(target)))


def _base(tree: PageTree, url: str) -> str:
    """Return the URL that links are relative to; a malformed base is ignored, as in browsers."""
    href = next((e.get("href") for e in tree.html.iter("base") if e.get("href")), None)
    try:
        joined = urljoin(url, href or "")
        urljoin(joined, "")
    except ValueError:
        return url
    return joined


def _target(anchor: Element, base: str) -> str | None:
    try:
        target = urldefrag(urljoin(base, (anchor.get("href") or "").strip())).url
    except ValueError:
        return None
    is_other = refuse_url(target, ANYWHERE) or _OTHER_FILES.search(urlsplit(target).path)
    return None if is_other else target


def _ancestors(anchor: Element) -> list[Element]:
    found: list[Element] = []
    element = anchor.getparent()
    while element is not None and len(found) < _FARTHEST:
        found.append(element)
        element = element.getparent()
    return found


def _shape(url: str) -> Make:
    """Describe a URL's shape: its segments' kinds, its suffix, if it has a query."""
    parts = urlsplit(url)
    *heads, last = parts.path.split("/")
    kinds = tuple("number" if head.isdecimal() else "word" for head in heads)
    return kinds, last.rpartition(".")[2] if "." in last else "", bool(parts.query)


def _url_evidence(url: str) -> float:
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    stem = re.sub(r"\.\w{2,5}$", "", unquote(segments[-1])) if segments else ""
    words = [word for word in re.split(r"[-_.+\s]", stem) if word]
    path_and_query = f"{parts.path}?{parts.query}"
    evidence = 2.0 if _DATE.search(parts.path) else 1.0 * bool(_YEAR.search(parts.path))
    evidence += 2.0 if len(words) >= 5 else 1.0 * (len(words) >= 2)
    evidence += bool(_NUMBER.search(path_and_query)) + (len(segments) >= 2)
    return evidence - 3 * bool(_OTHER_PAGES.search(f"{parts.path}/"))


def _text_evidence(text: str) -> float:
    length = len(text) + len(_UNSPACED.findall(text))
    if length >= _LONG_TEXT:
        return 2.0
    return 1.0 * (length >= _SHORT_TEXT)


def _position_evidence(anchor: Element, ancestors: list[Element]) -> float:
    evidence = 0.0
    relations = set((anchor.get("rel") or "").lower().split())
    if relations & _OTHER_RELATIONS:
        evidence -= 3
    near = {str(e.tag) for e in (*ancestors[:2], *anchor)}
    evidence += bool(near & _HEADINGS)
    tags = [str(e.tag) for e in ancestors]
    content = next((i for i, tag in enumerate(tags) if tag in _CONTENT), len(tags))
    frame = next((_FRAME[tag] for tag in tags[:content] if tag in _FRAME), 0.0)
    # A header inside an article is the article's, elsewhere the site's.
    if content == len(tags) and "header" in tags:
        frame = min(frame, -3.0)
    return evidence + frame
