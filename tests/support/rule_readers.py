"""Readers of exported rules that behave as the consumers document it.

Independent of our writers: lxml for XPath, cssselect for CSS, parsel for the snippet. Each reader
takes an export and a page's HTML and returns the markup of the content.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from lxml import etree
from lxml import html as lxml_html
from lxml.cssselect import CSSSelector
from parsel import Selector


def read_site_config(config: str, page: str, _site: str) -> str:
    """Read as Full-Text RSS: strip, then all nodes of the first matching body."""
    root = lxml_html.document_fromstring(page)
    commands = [line.split(":", 1) for line in config.splitlines() if line and line[0] != "#"]
    values = [(name.strip(), value.strip()) for name, value in commands]
    _remove(node for name, value in values if name == "strip" for node in _all(root, value))
    for name, value in values:
        if name == "body" and (found := _all(root, value)):
            return _markup(found)
    return ""


def read_feediron(config: str, page: str, site: str) -> str:
    """Read as FeedIron: the first node of each path; cleanup on the whole page."""
    root = lxml_html.document_fromstring(page)
    rules = json.loads(config)[site]
    assert rules["type"] == "xpath"
    pieces = []
    for path in rules["xpath"]:
        found = _all(root, f"(//{path})")
        if found:
            for cleanup in rules["cleanup"]:
                _remove(_all(root, cleanup if cleanup.startswith("./") else f"//{cleanup}"))
            pieces.append(_markup(found[:1]))
    return "".join(pieces)


def read_freshrss(opml: str, page: str, _site: str) -> str:
    """Read as FreshRSS: all nodes of the selector, without those of the filter."""
    outline = _outline(opml)
    space = "{https://freshrss.org/opml}"
    return _by_css(
        page, outline.get(f"{space}cssFullContent"), outline.get(f"{space}cssFullContentFilter")
    )


def read_miniflux(opml: str, page: str, _site: str) -> str:
    """Read as Miniflux: scrape if `crawler` is set, then remove by rewrite rule."""
    outline = _outline(opml)
    space = "{https://miniflux.app/opml}"
    assert outline.get(f"{space}crawler") == "true"
    rule = outline.get(f"{space}rewriteRules")
    removed = re.fullmatch(r'remove\("([^"]*)"\)', rule) if rule else None
    assert bool(rule) == bool(removed)
    return _by_css(page, outline.get(f"{space}scraperRules"), removed[1] if removed else None)


def read_rss_bridge(lines: str, page: str, _site: str) -> str:
    """Read as RSS-Bridge: the first node, without the cleanup's nodes."""
    query = parse_qs(urlsplit(lines.splitlines()[0]).query)
    assert query["bridge"] == ["CssSelectorFeedExpanderBridge"]
    cleanup = query.get("content_cleanup", [None])[0]
    return _by_css(page, query["content_selector"][0], cleanup, first=True)


def read_snippet(source: str, page: str, site: str) -> str:
    """Read as a Python project: run the module on a parsel Selector."""
    namespace: dict[str, Any] = {}
    exec(compile(source, "snippet.py", "exec"), namespace)  # noqa: S102  as users do
    found = namespace["parse_article"](Selector(text=page), site)
    return str(found["html"]) if found else ""


READERS: dict[str, Callable[[str, str, str], str]] = {
    "fivefilters": read_site_config,
    "feediron": read_feediron,
    "freshrss": read_freshrss,
    "miniflux": read_miniflux,
    "rss-bridge": read_rss_bridge,
    "scrapy": read_snippet,
}


def _outline(opml: str) -> etree._Element:
    root = etree.fromstring(opml.encode("utf-8"))
    outline = root.find("./body/outline")
    assert outline is not None
    assert outline.get("xmlUrl")
    assert outline.get("text")
    return outline


def _by_css(page: str, wanted: str | None, removed: str | None, *, first: bool = False) -> str:
    root = lxml_html.document_fromstring(page)
    found: Any = CSSSelector(wanted or "")(root)
    if removed:
        gone: Any = CSSSelector(removed)(root)
        _remove(gone)
    return _markup(found[:1] if first else found)


def _all(root: Any, path: str) -> list[Any]:
    found: list[Any] = root.xpath(path)
    return found


def _remove(nodes: Iterable[Any]) -> None:
    for node in list(nodes):
        if node.getparent() is not None:
            node.tail = "\n" + (node.tail or "")
            node.drop_tree()


def _markup(nodes: Iterable[Any]) -> str:
    return "\n".join(
        lxml_html.tostring(node, encoding="unicode", with_tail=False) for node in nodes
    )
