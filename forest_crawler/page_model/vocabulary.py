"""The names in markup: tags, and the words of class, id, role and itemprop.

Markup is English the world over, whatever the page's language, so its words can be features, unlike
those of the text. A concept is a group of such words, and part of a feature's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from forest_crawler.page.xpath import Element

WORDS = {
    "comment": r"comment|respon[ds]|discuss|talkback|feedback",
    "share": r"shar(?:e|ing)|social|follow|bookmark",
    "related": r"relat|recommend|similar|popular|trending|latest|most[_-]?(?:read|view|pop|comm)"
    r"|recent|also|further|teaser|promo",
    "nav": r"nav|menu|crumb|pagin|pager|tabs?(?![a-z])|skip|toolbar|directory",
    "foot": r"foot|copyright|legal|disclaimer|colophon",
    "side": r"side|rail|widget|secondary|complementary|right-?col|left-?col|module",
    "head": r"(?<!sub)head(?!l)|mast|banner|topbar|logo|brand",
    "ad": r"(?<![a-z])ads?(?![a-z])|advert|sponsor|adslot|adbox",
    "meta": r"author|byline|(?<![a-z])bio|meta|date|time|publish|posted|tag|categor|info",
    "caption": r"caption|credit|figure|image|img|photo|pict|gallery|media|slide|carousel|thumb",
    "content": r"content|article|story|entry|text|copy|main",
    "body": r"(?:article|story|entry|post|news|main|page|blog)[_-]*(?:body|content|text|copy|main)"
    r"|bodytext|(?<![a-z])body|prose|markdown|rich-?text|wysiwyg",
    "title": r"title|headline|heading|(?<![a-z])hed(?![a-z])",
    "form": r"newsletter|subscri|sign[_-]?(?:up|in)|log[_-]?in|regist|search|form|cta|donat",
    "modal": r"cookie|consent|gdpr|modal|pop-?up|overlay|paywall|dialog|toast|notice|alert",
    "lead": r"summary|lead|intro|deck|standfirst|excerpt|abstract|subtitle|subhead|kicker|dek",
    "post": r"post|thread|topic|message|answer|question|forum|repl(?:y|ies)|(?<![a-z])msg",
    "thread": r"thread(?!-?(?:even|odd|alt|ed))|topic|forum|answer|question|(?<![a-z])board"
    r"|discussion|(?<![a-z])message",
    "blog": r"blog|entry|article|story|news|single(?!-(?:topic|forum))|wp-",
    "product": r"product|price|sku|cart|spec|review|rating|basket|wish",
    "card": r"card|item|grid|tile|list|feed|result|loop",
    "hidden": r"hidden|hide|print|sr-only|screen-reader|visually|collapse",
    "code": r"code|highlight|snippet|syntax",
    "user": r"user|avatar|profile|member|signature|rank",
    "count": r"count|vote|stat|score|like|view",
    "detail": r"faq|accord|toggle|expand|detail|descr",
}
"""The words of a concept, anywhere in an attribute's value.

Both forums and blogs use `post`; only forums use `thread` (except for comments with `thread-even`),
only blogs and news sites `blog`.
"""

TAGS = {
    "nav": "nav menu",
    "foot": "footer",
    "side": "aside",
    "head": "header",
    "caption": "figure figcaption caption",
    "form": "form fieldset label select button option textarea",
    "modal": "dialog",
    "detail": "details summary",
    "code": "pre code tt kbd samp",
    "article": "article",
    "main": "main",
    "table": "table td th",
    "list": "ul ol li dl dd dt",
    "p": "p",
    "h1": "h1",
    "h2": "h2",
    "h3": "h3 h4 h5 h6",
    "quote": "blockquote q",
    "bold": "b strong",
    "link": "a",
    "division": "div center section",
}
"""The tags of a concept, alone or in addition to the words of the same name."""

CONCEPTS = tuple(dict.fromkeys([*WORDS, *TAGS]))

MAX_NAME_CHARACTERS = 500
"""Max characters of an element's names: some pages keep whole style sheets in `class`."""

_NUMBERS = {concept: number for number, concept in enumerate(CONCEPTS)}
_PATTERNS = [(_NUMBERS[concept], re.compile(words)) for concept, words in WORDS.items()]
_DIGITS = re.compile(r"\d+")
_OF_TAG = {tag: _NUMBERS[concept] for concept, tags in TAGS.items() for tag in tags.split()}


Names: TypeAlias = tuple[str, str | None, str | None, str | None, str | None]


class Markup(NamedTuple):
    """An element's names: its tag, and the attributes that hold names."""

    tag: str
    class_: str | None = None
    id: str | None = None
    role: str | None = None
    itemprop: str | None = None


class Meaning(NamedTuple):
    """An element's names, and the concepts and signature derived from them."""

    markup: Markup
    concepts: tuple[int, ...]  # as indices of `CONCEPTS`
    signature: tuple[str, str]  # tag, and first class name without its numbers
    kind: str  # both as one string, whose hash Python keeps


@dataclass(frozen=True, slots=True, eq=False)
class PageMarkup:
    """The names of a page's elements; on average, four elements share theirs."""

    meanings: list[Meaning]  # distinct, in the order of their first occurrence
    numbers: npt.NDArray[np.int64]  # per element, its position in `meanings`
    tags: list[str]  # distinct
    tag_numbers: npt.NDArray[np.int64]  # per element, its tag's position in `tags`

    def __getitem__(self, element: int) -> Meaning:
        return self.meanings[int(self.numbers[element])]

    def has_tag(self, tags: Set[str]) -> npt.NDArray[np.bool_]:
        """Check for each element whether its tag is one of these."""
        return np.array([tag in tags for tag in self.tags], dtype=bool).take(self.tag_numbers)


def read_markup(elements: Iterable[Element]) -> PageMarkup:
    """Read the names of each element, once per page."""
    numbers: dict[Names, int] = {}
    found = [
        numbers.setdefault(
            (e.tag, e.get("class"), e.get("id"), e.get("role"), e.get("itemprop")), len(numbers)
        )
        for e in elements
    ]
    of_elements = np.fromiter(found, np.int64, len(found))
    tags: dict[str, int] = {}
    of_names = np.array([tags.setdefault(names[0], len(tags)) for names in numbers], dtype=np.int64)
    meanings = list(map(read_meaning, numbers))
    return PageMarkup(meanings, of_elements, list(tags), of_names.take(of_elements))


@lru_cache(maxsize=50_000)
def read_meaning(names: Names) -> Meaning:
    """Derive the concepts and signature of an element's names.

    A site's pages share their names, so almost every call is answered from the cache.

    >>> meaning = read_meaning(Markup("aside", class_="box2 wide", id="comments-12"))
    >>> [CONCEPTS[i] for i in meaning.concepts], meaning.signature
    (['comment', 'side'], ('aside', 'box'))
    """
    markup = Markup._make(names)
    first_class = (markup.class_ or "").partition(" ")[0]
    signature = (markup.tag, _DIGITS.sub("", first_class))
    return Meaning(markup, find_concepts(markup), signature, " ".join(signature))


def find_concepts(markup: Markup) -> tuple[int, ...]:
    """Find the concepts of an element's tag and names, as indices of `CONCEPTS`."""
    names = " ".join(name for name in markup[1:] if name)[:MAX_NAME_CHARACTERS].lower()
    found = frozenset[int]().union(*map(_concepts_of, _DIGITS.sub("0", names).split()))
    if markup.tag in _OF_TAG:
        found |= {_OF_TAG[markup.tag]}
    return tuple(sorted(found))


@lru_cache(maxsize=50_000)
def _concepts_of(name: str) -> frozenset[int]:
    """Find the concepts of a single name, from a cache that all pages share.

    Names come without blanks, which no concept's word contains, and with every number as 0, since
    the ids of comments differ in their numbers only.
    """
    return frozenset(number for number, pattern in _PATTERNS if pattern.search(name))
