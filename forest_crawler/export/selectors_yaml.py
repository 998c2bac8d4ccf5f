"""Write `selectors.yaml`: every wrapper's XPaths and CSS selectors side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from forest_crawler.export.rules import Export, Notes, SiteRules
from forest_crawler.wrapper.locators import read_xpath, write_css
from forest_crawler.wrapper.wrapper import FIELDS, Wrapper

FORMAT = "selectors"

_HEAD = """\
# Selectors of articles, induced by forest-crawler. Per site: the feeds, and the templates to try in
# order. All that one of `body` selects is the article, without what one of `strip` selects.
version: 1
"""


def write_selectors(sites: Sequence[SiteRules]) -> Export:
    """Write one YAML document for all sites."""
    notes = Notes(FORMAT)
    lines: list[str] = []
    for site in sites:
        notes.skip_dfs(site)
        if site.portable:
            lines += _site_lines(site)
    body = "\n".join(["sites:", *lines]) if lines else "sites: {}"
    return Export({"": f"{_HEAD}{body}\n"}, tuple(notes.messages))


def _site_lines(rules: SiteRules) -> Iterator[str]:
    yield f"  {quote(rules.site)}:"
    yield f"    feeds: [{', '.join(map(quote, rules.feeds))}]"
    yield "    templates:"
    for wrapper in rules.portable:
        yield f"      - found_on_pages: {wrapper.support}"
        yield f"        of_pages: {wrapper.pages}"
        yield from _wrapper_lines(wrapper)


def _wrapper_lines(wrapper: Wrapper) -> Iterator[str]:
    for name in ("body", "strip"):
        paths: tuple[str, ...] = getattr(wrapper, name)
        yield f"        {name}:" if paths else f"        {name}: []"
        for path in paths:
            xpath, css = _pair(path)
            yield f"          - xpath: {xpath}"
            yield f"            css: {css}"
    for name in FIELDS:
        if path := getattr(wrapper, name):
            xpath, css = _pair(path)
            yield f"        {name}:"
            yield f"          xpath: {xpath}"
            yield f"          css: {css}"


def _pair(path: str) -> tuple[str, str]:
    return quote(path), quote(write_css(read_xpath(path)))


def quote(text: str) -> str:
    """Quote a text as YAML does, in ASCII.

    >>> quote('a "b" 😀')
    '"a \\\\"b\\\\" \\\\U0001f600"'
    """
    inner = json.dumps(text, ensure_ascii=False)[1:-1]
    return '"' + "".join(it if " " <= it <= "~" else _escape(it) for it in inner) + '"'


def _escape(char: str) -> str:
    return f"\\U{ord(char):08x}" if ord(char) > 0xFFFF else f"\\u{ord(char):04x}"
