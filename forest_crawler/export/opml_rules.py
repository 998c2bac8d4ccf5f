"""Write OPML with the rules that FreshRSS and Miniflux keep per feed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from lxml import etree

from forest_crawler.export.choice import Target
from forest_crawler.export.rules import Export, Notes, SiteRules
from forest_crawler.export.targets import FRESHRSS, MINIFLUX, CssRules
from forest_crawler.text.cleaning import FORBIDDEN

FRESHRSS_SPACE = "https://freshrss.org/opml"
MINIFLUX_SPACE = "https://miniflux.app/opml"
_STARTS = re.compile(r"\[[\w-]+\^=")


def write_freshrss(sites: Sequence[SiteRules]) -> Export:
    """Write OPML for FreshRSS, which then fetches the full content of articles."""
    return _write(sites, Notes("freshrss"), "frss", FRESHRSS_SPACE, FRESHRSS, _freshrss_rules)


def write_miniflux(sites: Sequence[SiteRules]) -> Export:
    """Write OPML for Miniflux 2.3, which then scrapes articles by these rules."""
    notes = Notes("miniflux")
    return _write(sites, notes, "miniflux", MINIFLUX_SPACE, MINIFLUX, _miniflux_rules)


def _freshrss_rules(written: CssRules, site: str, notes: Notes) -> Mapping[str, str]:
    rules = {"cssFullContent": written.body}
    if written.strip:
        rules["cssFullContentFilter"] = written.strip
    if any("~=" in css for css in rules.values()):
        notes.add(site, "a class needs [class~=…], which old releases of FreshRSS don't support")
    if any(_STARTS.search(css) for css in rules.values()):
        # Older ones read `div[class^="a"]` as the tag `divclassa`.
        notes.add(site, "needs FreshRSS 1.25 or later: older releases match nothing by [class^=…]")
    return rules


def _miniflux_rules(written: CssRules, site: str, notes: Notes) -> Mapping[str, str]:
    rules = {"scraperRules": written.body}
    if written.strip:
        rules["rewriteRules"] = written.strip
    return rules | {"crawler": "true"}  # without it nothing is scraped


def _write(
    sites: Sequence[SiteRules],
    notes: Notes,
    prefix: str,
    namespace: str,
    target: Target[CssRules],
    write_rules: Callable[[CssRules, str, Notes], Mapping[str, str]],
) -> Export:
    root = etree.Element("opml", {"version": "2.0"}, nsmap={prefix: namespace})
    etree.SubElement(etree.SubElement(root, "head"), "title").text = "forest-crawler"
    body = etree.SubElement(root, "body")
    for rules in sites:
        choice = notes.choose(target, rules)
        notes.need_feeds(rules)
        if choice is None:
            continue
        notes.skip_fields(rules, rules.portable[0], "title", "author", "date", "lead", "image")
        attributes = write_rules(choice.written, rules.site, notes)
        for feed in rules.feeds:
            outline = etree.SubElement(body, "outline", {"type": "rss", "xmlUrl": _clean(feed)})
            outline.set("text", _clean(rules.title or rules.site))
            outline.set("title", _clean(rules.title or rules.site))
            if rules.home:
                outline.set("htmlUrl", _clean(rules.home))
            for name, value in attributes.items():
                outline.set(f"{{{namespace}}}{name}", _clean(value))
    made = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return Export({"": made.decode("utf-8")}, tuple(notes.messages), tuple(notes.checks))


def _clean(text: str) -> str:
    return FORBIDDEN.sub("", text)
