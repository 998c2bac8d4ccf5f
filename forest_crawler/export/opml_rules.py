"""Write OPML with the rules that FreshRSS and Miniflux keep per feed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lxml import etree

from forest_crawler.export.rules import Export, Notes, SiteRules, css_list, tests_starts
from forest_crawler.text.cleaning import FORBIDDEN
from forest_crawler.wrapper.wrapper import Wrapper

FRESHRSS = "https://freshrss.org/opml"
MINIFLUX = "https://miniflux.app/opml"


def write_freshrss(sites: Sequence[SiteRules]) -> Export:
    """Write OPML for FreshRSS, which then fetches the full content of articles."""
    return _write(sites, Notes("freshrss"), "frss", FRESHRSS, _freshrss_rules)


def write_miniflux(sites: Sequence[SiteRules]) -> Export:
    """Write OPML for Miniflux, which then scrapes articles by these rules."""
    return _write(sites, Notes("miniflux"), "miniflux", MINIFLUX, _miniflux_rules)


def _freshrss_rules(wrapper: Wrapper, site: str, notes: Notes) -> Mapping[str, str]:
    rules = {"cssFullContent": css_list(wrapper.body, site)}
    if wrapper.strip:
        rules["cssFullContentFilter"] = css_list(wrapper.strip, site)
    if any("~=" in css for css in rules.values()):
        notes.add(site, "a class needs [class~=…], which old releases of FreshRSS don't support")
    if tests_starts((*wrapper.body, *wrapper.strip), site):
        # Older ones read `div[class^="a"]` as the tag `divclassa`.
        notes.add(site, "needs FreshRSS 1.25 or later: older releases match nothing by [class^=…]")
    return rules


def _miniflux_rules(wrapper: Wrapper, site: str, notes: Notes) -> Mapping[str, str]:
    rules = {"scraperRules": css_list(wrapper.body, site)}
    if wrapper.strip:
        rules["rewriteRules"] = f'remove("{css_list(wrapper.strip, site, quote=chr(39))}")'
    return rules | {"crawler": "true"}  # without it nothing is scraped


def _write(
    sites: Sequence[SiteRules],
    notes: Notes,
    prefix: str,
    namespace: str,
    write_rules: Callable[[Wrapper, str, Notes], Mapping[str, str]],
) -> Export:
    root = etree.Element("opml", {"version": "2.0"}, nsmap={prefix: namespace})
    etree.SubElement(etree.SubElement(root, "head"), "title").text = "forest-crawler"
    body = etree.SubElement(root, "body")
    for rules in sites:
        wrapper = notes.first_wrapper(rules)
        notes.need_feeds(rules)
        if wrapper is None:
            continue
        notes.skip_fields(rules, wrapper, "title", "author", "date", "lead", "image")
        if len(wrapper.body) > 1:
            what = "joins all selected elements; one inside another appears twice"
            notes.add(rules.site, f"{notes.format} {what}")
        attributes = write_rules(wrapper, rules.site, notes)
        for feed in rules.feeds:
            outline = etree.SubElement(body, "outline", {"type": "rss", "xmlUrl": _clean(feed)})
            outline.set("text", _clean(rules.title or rules.site))
            for name, value in attributes.items():
                outline.set(f"{{{namespace}}}{name}", _clean(value))
    made = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return Export({"": made.decode("utf-8")}, tuple(notes.messages))


def _clean(text: str) -> str:
    return FORBIDDEN.sub("", text)
