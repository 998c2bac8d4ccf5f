"""JSON-LD: what a page says about its article in schema.org's terms.

The scripts are untrusted and often broken: the reader skips what it cannot parse, raises nothing,
and bounds depth and size. It follows only what describes the page itself; an article inside a list
of further reading belongs to another page.

`read_structured_data` parses each script once per tree. `page_metadata` and `paywall` read its
nodes; `statement`, whose strings the page model was trained on, reads the values of valid scripts.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from html import unescape
from typing import TypeAlias

from forest_crawler.page.once_per_tree import once_per_tree
from forest_crawler.page.tree import PageTree

Node: TypeAlias = Mapping[str, object]

MAX_SCRIPT = 2**20
"""Max characters of a script: articles with their whole text in it stay well below."""

MAX_SCRIPTS = 50
MAX_NODES = 2000
"""Max objects visited per page; real graphs have some dozens."""

_MAX_NAMES = 50  # values of one property: authors, images, keywords
_JSON_BLANKS = " \t\n\r"
_OPENING = re.compile(r"(?://\s*)?(?:<!--|<!\[CDATA\[)")
_CLOSINGS = ("-->", "]]>")
_SURPLUS_COMMA = re.compile(r",(?=\s*[}\]])")
_TAGS = re.compile(r"<[^<>]*>")
_ARTICLE_TYPES = frozenset(
    "article blogposting liveblogposting socialmediaposting discussionforumposting report review "
    "recipe howto medicalscholarlyarticle creativework".split()
)
_PAGE_TYPES = frozenset("webpage itempage aboutpage medicalwebpage qapage faqpage".split())
# The properties that lead from an object to another one about the same page.
_ABOUT_SELF = ("@graph", "mainEntity", "mainEntityOfPage")


class Script:
    """The source of one JSON-LD script, parsed when a value is first read."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._bare = _unwrap(source)

    @cached_property
    def valid(self) -> list[object]:
        """The value as a list of one if the source is valid JSON, else an empty list."""
        # Wrapping is never part of valid JSON, so a script that has some cannot be.
        is_wrapped = self._bare != self.source.strip(_JSON_BLANKS)
        return [] if is_wrapped else self._unwrapped

    @cached_property
    def repaired(self) -> list[object]:
        """The same, without comment marks, a last semicolon and surplus commas."""
        if self._unwrapped:
            return self._unwrapped
        text = _SURPLUS_COMMA.sub("", self._bare)
        return _parse(text) if text != self._bare else []

    @cached_property
    def _unwrapped(self) -> list[object]:
        return _parse(self._bare)


class StructuredData:
    """The objects with which a page's JSON-LD scripts describe it."""

    def __init__(self, sources: Iterable[str]) -> None:
        self.scripts = tuple(map(Script, sources))

    @cached_property
    def nodes(self) -> list[Node]:
        """The objects about the page, in document order, from valid and repaired scripts."""
        short = (it for it in self.scripts[:MAX_SCRIPTS] if len(it.source) <= MAX_SCRIPT)
        return list(_walk([value for script in short for value in script.repaired]))

    @cached_property
    def _by_id(self) -> Mapping[str, Node]:
        return {str(node["@id"]): node for node in reversed(self.nodes) if "@id" in node}

    def find_article(self, page_urls: Iterable[str | None]) -> Node | None:
        """Find the object of the page's article: the one with its URL, else the first."""
        own = {url for url in page_urls if url}
        articles = [node for node in self.nodes if is_article(node)]
        for node in articles:
            values = (node.get("url"), node.get("@id"), node.get("mainEntityOfPage"))
            if own.intersection(url for value in values for url in self.urls(value)):
                return node
        return articles[0] if articles else None

    def find_page(self) -> Node | None:
        """Find the object of the page as a web page, which says less than an article's."""
        return next((node for node in self.nodes if _PAGE_TYPES & set(types(node))), None)

    def find_site(self) -> Node | None:
        """Find the object of the whole site."""
        return next((node for node in self.nodes if "website" in types(node)), None)

    def texts(self, value: object) -> list[str]:
        """Collect a value's strings: itself, an object's name, or a list's."""
        return [clean_string(text) for text in self._strings(value, "name")]

    def urls(self, value: object) -> list[str]:
        """Collect a value's URLs: itself, an object's `url` or `@id`, or a list's."""
        return [text.strip() for text in self._strings(value, "url", "contentUrl", "@id")]

    def images(self, value: object) -> list[str]:
        """Collect the URLs of images, without an `@id`: it names the image on this page."""
        return [text.strip() for text in self._strings(value, "url", "contentUrl")]

    def _strings(self, value: object, *keys: str) -> Iterator[str]:
        waiting = deque([value])
        for _ in range(_MAX_NAMES):
            if not waiting:
                return
            item = waiting.popleft()
            if isinstance(item, str):
                yield item
            elif isinstance(item, list):
                waiting.extendleft(reversed(item[:_MAX_NAMES]))
            elif isinstance(item, dict):
                known = item if any(key in item for key in keys) else self._referred(item)
                waiting.extendleft([known[key] for key in keys if key in known][:1])

    def _referred(self, node: Node) -> Node:
        return self._by_id.get(str(node.get("@id")), {})


@once_per_tree
def read_structured_data(tree: PageTree) -> StructuredData:
    """Read a page's JSON-LD scripts, once per tree.

    >>> from forest_crawler.page.tree import parse_page
    >>> page = '<script type="application/ld+json">{"@type": "Article",}</script><p>Rain'
    >>> read_structured_data(parse_page(page)).nodes
    [{'@type': 'Article'}]
    """
    return StructuredData(tree.structured)


def is_article(node: Node) -> bool:
    """Check whether an object is schema.org's Article or one of its kin."""
    return any(kind in _ARTICLE_TYPES or kind.endswith("article") for kind in types(node))


def types(node: Node) -> list[str]:
    """List an object's types in lower case."""
    return [name.lower() for name in type_names(node)]


def type_names(node: Node) -> list[str]:
    """List an object's types as it spells them, without schema.org's URL."""
    value = node.get("@type")
    kinds = value[:_MAX_NAMES] if isinstance(value, list) else [value]
    return [kind.rsplit("/", 1)[-1] for kind in kinds if isinstance(kind, str)]


def clean_string(text: str) -> str:
    """Remove the markup and references that templates leave in a JSON string."""
    return " ".join(unescape(_TAGS.sub(" ", text)).split())


def _unwrap(source: str) -> str:
    """Remove the comment or CDATA marks around a script, and a semicolon after it."""
    text = source.strip()
    if opening := _OPENING.match(text):
        text = text[opening.end() :]
    if text.endswith(_CLOSINGS):
        text = text[:-3].rstrip().removesuffix("//")
    return text.strip().rstrip(";")


def _parse(text: str) -> list[object]:
    try:
        return [json.loads(text, strict=False)]  # line breaks in strings are common
    except (ValueError, RecursionError):
        return []


def _walk(roots: list[object]) -> Iterator[Node]:
    """Visit the objects about the page in document order."""
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
