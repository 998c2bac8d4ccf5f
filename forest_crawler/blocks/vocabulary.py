"""What markup calls things: tags, and the words of class, id, role and itemprop.

Markup is written in English the world over, whatever the page's language, so its words are
evidence where a text's words would not be. A concept is a word of the page model's evidence.
"""

from __future__ import annotations

import re
from functools import lru_cache

from forest_crawler.xpath import Element

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
    "product": r"product|price|sku|cart|spec|review|rating|basket|wish",
    "card": r"card|item|grid|tile|list|feed|result|loop",
    "hidden": r"hidden|hide|print|sr-only|screen-reader|visually|collapse",
    "code": r"code|highlight|snippet|syntax",
    "user": r"user|avatar|profile|member|signature|rank",
    "count": r"count|vote|stat|score|like|view",
    "detail": r"faq|accord|toggle|expand|detail|descr",
}
"""Words that make a concept, wherever they stand in an attribute's value."""

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
"""Tags that make a concept, alone or besides the words of the same name."""

CONCEPTS = tuple(dict.fromkeys([*WORDS, *TAGS]))

NAMING_ATTRIBUTES = ("class", "id", "role", "itemprop")

_NUMBERS = {concept: number for number, concept in enumerate(CONCEPTS)}
_PATTERNS = [(_NUMBERS[concept], re.compile(words)) for concept, words in WORDS.items()]
_OF_TAG = {tag: _NUMBERS[concept] for concept, tags in TAGS.items() for tag in tags.split()}


def find_concepts(element: Element) -> tuple[int, ...]:
    """The concepts that an element's tag and names speak of, as indices of `CONCEPTS`.

    >>> from lxml.html import fromstring
    >>> [CONCEPTS[i] for i in find_concepts(fromstring("<aside id=comments-12>"))]
    ['comment', 'side']
    """
    names = " ".join([v for a in NAMING_ATTRIBUTES if (v := element.get(a))])
    return _find(str(element.tag), names)


@lru_cache(maxsize=50_000)
def _find(tag: str, names: str) -> tuple[int, ...]:
    """A site's pages share their names, so almost every look is answered from the cache."""
    lowered = names[:500].lower()
    found = {number for number, pattern in _PATTERNS if pattern.search(lowered)} if names else set()
    if tag in _OF_TAG:
        found.add(_OF_TAG[tag])
    return tuple(sorted(found))
