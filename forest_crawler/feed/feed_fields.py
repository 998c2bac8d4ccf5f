"""Elements of a feed by their customary names, whatever prefixes and cases the feed uses.

For `forest_crawler.feed.feed_document`. Names are in lower case; those of a module's vocabulary
have its customary prefix ("dc:creator"), those of unknown vocabularies `FOREIGN`.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from lxml import etree

from forest_crawler.feed.untrusted_xml import local_name
from forest_crawler.page.xpath import Element

FOREIGN = "?:"

MAX_ATTRIBUTES = 64
"""Max attributes of an element that are looked at; Media RSS defines fifteen."""

MAX_TEXTS = 100
"""Max pieces that the text of a name or a link may consist of."""

_PREFIXES = {
    "http://prismstandard.org/namespaces/1.2/basic": "prism:",
    "http://prismstandard.org/namespaces/basic/2.0": "prism:",
    "http://purl.org/dc/elements/1.0": "dc:",
    "http://purl.org/dc/elements/1.1": "dc:",
    "http://purl.org/dc/terms": "dcterms:",
    "http://purl.org/rss/1.0/modules/content": "content:",
    "http://purl.org/rss/1.0/modules/syndication": "sy:",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner:",
    "http://search.yahoo.com/mrss": "media:",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes:",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns": "rdf:",
    "http://www.w3.org/1999/xhtml": "xhtml:",
    "http://www.w3.org/xml/1998/namespace": "xml:",
}
_CORE = frozenset(
    [
        "http://backend.userland.com/rss2",
        "http://channel.netscape.com/rdf/simple/0.9",
        "http://my.netscape.com/rdf/simple/0.9",
        "http://purl.org/atom/ns",
        "http://purl.org/rss/1.0",
        "http://www.w3.org/2005/atom",
    ]
)
_GROUPS = frozenset(["media:content", "media:group"])
_NAMESPACE_NOISE = re.compile(r'\sxmlns(?::[\w.-]+)?="[^"]*"')
_PREFIX_NOISE = re.compile(r"(</?)[\w.-]+:(?=[\w.-]+[\s/>])")

Fields = Mapping[str, Sequence[Element]]


def group_fields(*parents: Element) -> Fields:
    """Group the children of elements by name; groups of Media RSS are opened."""
    found: defaultdict[str, list[Element]] = defaultdict(list)
    own = {_namespace(parent.tag) for parent in parents}
    for parent in parents:
        for child in parent:
            name = _name(child, own)
            found[name].append(child)
            if name in _GROUPS:
                for inner in child:
                    found[_name(inner, own)].append(inner)
    return found


def read_attributes(element: Element) -> dict[str, str]:
    """Read the first attributes of an element by name."""
    found: dict[str, str] = {}
    for key in islice(element.attrib, MAX_ATTRIBUTES):  # `items` takes quadratic time
        name = str(key)
        prefix = _PREFIXES.get(_namespace(name), "")
        found.setdefault(prefix + name.rpartition("}")[2].lower(), element.get(name, ""))
    return found


def read_text(element: Element) -> str:
    """Read the text of a name, a date or a link."""
    return "".join(str(text) for text in islice(element.itertext(), MAX_TEXTS))


def read_markup(element: Element) -> str:
    """Read an element's content as HTML: its escaped text, or its children."""
    text = element.text or ""
    if not len(element):
        return text
    inner = "".join(etree.tostring(child, encoding="unicode") for child in element)
    return html.escape(text, quote=False) + _PREFIX_NOISE.sub(
        r"\1", _NAMESPACE_NOISE.sub("", inner)
    )


def _name(element: Element, own: Iterable[str]) -> str:
    namespace = _namespace(element.tag)
    is_core = not namespace or namespace in own or namespace in _CORE
    return ("" if is_core else _PREFIXES.get(namespace, FOREIGN)) + local_name(element)


def _namespace(tag: object) -> str:
    if not isinstance(tag, str) or tag[:1] != "{":
        return ""
    return tag[1:].partition("}")[0].lower().rstrip("/#")
