"""Readers of exported rules that behave as the programs they are for.

Each takes an export and a page's HTML and returns the markup of the content: through the package's
simulations of the programs, for site configs and the snippet independently of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from lxml import etree
from lxml import html as lxml_html
from parsel import Selector

from forest_crawler.export.consumers.documents import parse_libxml2
from forest_crawler.export.consumers.feediron import show_feediron
from forest_crawler.export.consumers.freshrss import show_freshrss
from forest_crawler.export.consumers.miniflux import show_miniflux
from forest_crawler.export.consumers.rss_bridge import show_rss_bridge


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
    """Read as FeedIron does its configuration of a site."""
    return show_feediron(parse_libxml2(page), json.loads(config)[site])


def read_freshrss(opml: str, page: str, _site: str) -> str:
    """Read as FreshRSS does the attributes of an outline."""
    outline = _outline(opml)
    space = "{https://freshrss.org/opml}"
    selector = outline.get(f"{space}cssFullContent") or ""
    removed = outline.get(f"{space}cssFullContentFilter") or ""
    return show_freshrss(parse_libxml2(page), selector, removed)


def read_miniflux(opml: str, page: str, _site: str) -> str:
    """Read as Miniflux: scrape if `crawler` is set, then remove by rewrite rule."""
    outline = _outline(opml)
    space = "{https://miniflux.app/opml}"
    assert outline.get(f"{space}crawler") == "true"
    selector = outline.get(f"{space}scraperRules") or ""
    return show_miniflux(parse_libxml2(page), selector, outline.get(f"{space}rewriteRules") or "")


def read_rss_bridge(lines: str, page: str, _site: str) -> str:
    """Read as RSS-Bridge does the query of a feed's address."""
    query = parse_qs(urlsplit(lines.splitlines()[0]).query)
    assert query["bridge"] == ["CssSelectorFeedExpanderBridge"]
    cleanup = query.get("content_cleanup", [""])[0]
    return show_rss_bridge(parse_libxml2(page), query["content_selector"][0], cleanup)


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
