"""JSON-LD: what a page says of its article in schema.org's terms.

The scripts are untrusted and often broken: whatever cannot be read is left out, nothing raises,
and depth and size are bounded. Only what describes the page itself is looked at; an article inside
a list of further reading is not this page's.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from typing import TypeAlias

Node: TypeAlias = Mapping[str, object]

MAX_SCRIPT = 2**20
"""Characters of a script that is read: articles with their whole text in it stay well below."""

MAX_SCRIPTS = 50
MAX_NODES = 2000
"""Objects that are looked at on a page; real graphs have some dozens."""

_MAX_NAMES = 50  # values behind one property: authors, images, keywords
_WRAPPING = re.compile(r"^\s*(?://\s*)?(?:<!--|<!\[CDATA\[)|(?://\s*)?(?:-->|\]\]>)\s*$")
_SURPLUS_COMMA = re.compile(r",(?=\s*[}\]])")
_TAGS = re.compile(r"<[^<>]*>")
_ARTICLE_TYPES = frozenset(
    "article blogposting liveblogposting socialmediaposting discussionforumposting report review "
    "recipe howto medicalscholarlyarticle creativework".split()
)
_PAGE_TYPES = frozenset("webpage itempage aboutpage medicalwebpage qapage faqpage".split())
# What leads from an object to another one that is about the same page.
_ABOUT_SELF = ("@graph", "mainEntity", "mainEntityOfPage")


class StructuredData:
    """The objects that a page's JSON-LD scripts describe it with."""

    def __init__(self, scripts: Iterable[str]) -> None:
        self.nodes = list(_walk(_parse_all(scripts)))
        self._by_id = {str(node["@id"]): node for node in reversed(self.nodes) if "@id" in node}

    def find_article(self, addresses: Iterable[str | None]) -> Node | None:
        """The object for the page's article: the one with its address, else the first."""
        own = {address for address in addresses if address}
        articles = [node for node in self.nodes if is_article(node)]
        for node in articles:
            places = (node.get("url"), node.get("@id"), node.get("mainEntityOfPage"))
            if own.intersection(place for said in places for place in self.addresses(said)):
                return node
        return articles[0] if articles else None

    def find_page(self) -> Node | None:
        """The object for the page as a web page, which says less than an article does."""
        return next((node for node in self.nodes if _PAGE_TYPES & set(types(node))), None)

    def find_site(self) -> Node | None:
        """The object for the whole site."""
        return next((node for node in self.nodes if "website" in types(node)), None)

    def texts(self, said: object) -> list[str]:
        """Strings out of a value: itself, the names of objects, or all of those in a list."""
        return [clean_string(text) for text in self._values(said, "name")]

    def addresses(self, said: object) -> list[str]:
        """Addresses out of a value: itself, or the `url` or `@id` of objects."""
        return [text.strip() for text in self._values(said, "url", "contentUrl", "@id")]

    def images(self, said: object) -> list[str]:
        """Addresses of images; the `@id` of one is a name, and leads to the page."""
        return [text.strip() for text in self._values(said, "url", "contentUrl")]

    def _values(self, said: object, *keys: str) -> Iterator[str]:
        waiting = deque([said])
        for _ in range(_MAX_NAMES):
            if not waiting:
                return
            value = waiting.popleft()
            if isinstance(value, str):
                yield value
            elif isinstance(value, list):
                waiting.extendleft(reversed(value[:_MAX_NAMES]))
            elif isinstance(value, dict):
                known = value if any(key in value for key in keys) else self._referred(value)
                waiting.extendleft([known[key] for key in keys if key in known][:1])

    def _referred(self, node: Node) -> Node:
        return self._by_id.get(str(node.get("@id")), {})


def is_article(node: Node) -> bool:
    """Whether an object is a piece of writing: schema.org's Article or one of its kin."""
    return any(kind in _ARTICLE_TYPES or kind.endswith("article") for kind in types(node))


def types(node: Node) -> list[str]:
    """An object's types in lower case."""
    return [name.lower() for name in type_names(node)]


def type_names(node: Node) -> list[str]:
    """An object's types as it writes them, without schema.org's address."""
    said = node.get("@type")
    kinds = said[:_MAX_NAMES] if isinstance(said, list) else [said]
    return [kind.rsplit("/", 1)[-1] for kind in kinds if isinstance(kind, str)]


def clean_string(text: str) -> str:
    """A string of JSON without the markup and references that templates leave in it."""
    return " ".join(unescape(_TAGS.sub(" ", text)).split())


def _parse_all(scripts: Iterable[str]) -> list[object]:
    parsed = (_parse(script) for script, _ in zip(scripts, range(MAX_SCRIPTS), strict=False))
    return [value for value in parsed if value is not None]


def _parse(script: str) -> object:
    if len(script) > MAX_SCRIPT:
        return None
    bare = _WRAPPING.sub("", script).strip().rstrip(";")
    for text in (bare, _SURPLUS_COMMA.sub("", bare)):
        try:
            value: object = json.loads(text, strict=False)  # line breaks in strings are common
        except (ValueError, RecursionError):
            continue
        return value
    return None


def _walk(roots: list[object]) -> Iterator[Node]:
    """The objects about the page, in the order they stand in; lists of other things are not."""
    waiting: deque[object] = deque(roots)
    for _ in range(MAX_NODES):
        if not waiting:
            return
        value = waiting.popleft()
        if isinstance(value, list):
            waiting.extendleft(reversed(value[:MAX_NODES]))
        elif isinstance(value, dict):
            yield value
            waiting.extendleft([value[key] for key in reversed(_ABOUT_SELF) if key in value])
