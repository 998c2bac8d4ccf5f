"""graby, the reader of site configs in wallabag: strips the page, then takes the first body.

`ContentExtractor::process` parses the page without its `span` tags and with paragraphs for double
line breaks, as php-readability does. It takes title, author and date out of the page, strips, and
joins all nodes of the first body rule that matches, without those inside others.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence

from lxml import etree

from forest_crawler.export.consumers.documents import (
    find_all,
    keep_tail,
    parse_libxml2,
    remove,
    write_outer,
)
from forest_crawler.page.xpath import Element

_SPANS = re.compile(r"</?span[^>]*>", re.IGNORECASE)
_LINE_BREAKS = re.compile(r"(<br[^>]*>\s*){2,}", re.IGNORECASE)
_FONTS = re.compile(r"<(/?)font[^>]*>", re.IGNORECASE)
_AUTHORS = re.compile(r"\"author\"\s*:")
_ALWAYS_STRIPPED = (
    "//*[contains(concat(' ',normalize-space(@class),' '),' entry-unrelated ')]",
    "//*[contains(concat(' ',normalize-space(@class),' '),' instapaper_ignore ')]",
    "//*[contains(@style,'display:none') or contains(@style,'visibility:hidden')]",
    "//a[not(./*) and normalize-space(.)='']",
)


def parse_graby(source: str) -> Element:
    """Parse a page as php-readability does."""
    plain = _LINE_BREAKS.sub("</p><p>", _SPANS.sub("", source))
    return parse_libxml2(_FONTS.sub(r"<\1span>", plain))


def show_graby(page: Element, config: str) -> str:
    """Return the content that graby shows of a page, parsed by `parse_graby`; "" without a body.

    With no body, graby itself goes on and guesses.
    """
    commands = list(_commands(config))
    has_authors = any(_AUTHORS.search(it.text or "") for it in _json_ld(page))
    for name in ("title", "author", "date"):
        if name != "author" or not has_authors:
            _take_out(page, _values(commands, name), all_nodes=name == "author")
    for path in (*_values(commands, "strip"), *_ALWAYS_STRIPPED):
        remove(reversed(find_all(page, path)))
    for path in _values(commands, "body"):
        if found := find_all(page, path):
            return _join(found)
    return ""


def _json_ld(page: Element) -> list[Element]:
    return find_all(page, "//script[@type='application/ld+json']")


def _take_out(page: Element, paths: Sequence[str], *, all_nodes: bool) -> None:
    """Remove what the first path with a result selects; attributes stay."""
    for path in paths:
        try:
            found = page.xpath(path)
        except etree.XPathError:
            continue
        if isinstance(found, list) and found:
            elements = [it for it in found if isinstance(it, etree._Element)]
            remove(elements if all_nodes else elements[:1])
            return


def _join(found: Sequence[Element]) -> str:
    """Join the taken elements as graby does: moved one by one, none from inside another."""
    holder = etree.Element("div")
    for element in found:
        if any(above is holder for above in element.iterancestors()):
            continue
        keep_tail(element)
        holder.append(element)
    made = copy.deepcopy(holder)
    remove(list(made.iter("script", "style", "noscript")))
    return write_outer([made])


def _commands(config: str) -> Iterator[tuple[str, str]]:
    for line in config.splitlines():
        name, colon, value = line.partition(":")
        if colon and not line.lstrip().startswith("#"):
            yield name.strip().lower(), value.strip()


def _values(commands: Sequence[tuple[str, str]], wanted: str) -> list[str]:
    return [value for name, value in commands if name == wanted]
