"""The export formats of wrappers, by name."""

from __future__ import annotations

from collections.abc import Sequence

from forest_crawler.errors import UnknownNameError
from forest_crawler.export.feediron import write_feediron
from forest_crawler.export.fivefilters import write_fivefilters
from forest_crawler.export.opml_rules import write_freshrss, write_miniflux
from forest_crawler.export.parser_class import write_parsers
from forest_crawler.export.rss_bridge import write_rss_bridge
from forest_crawler.export.rules import Export, Exporter, SiteRules
from forest_crawler.export.selectors_yaml import write_selectors
from forest_crawler.export.snippet import write_snippet
from forest_crawler.wrapper.wrapper import dump_wrappers


def write_json(sites: Sequence[SiteRules]) -> Export:
    """Write our own complete format; wrappers.schema.json describes it."""
    return Export({"": dump_wrappers(wrapper for rules in sites for wrapper in rules.wrappers)})


FORMATS: dict[str, Exporter] = {
    "json": write_json,
    "fivefilters": write_fivefilters,
    "feediron": write_feediron,
    "freshrss": write_freshrss,
    "miniflux": write_miniflux,
    "rss-bridge": write_rss_bridge,
    "scrapy": write_snippet,
    "parser": write_parsers,
    "selectors": write_selectors,
}


def export_wrappers(sites: Sequence[SiteRules], name: str) -> Export:
    """Write the wrappers of sites in a format; raises `UnknownNameError`."""
    if name not in FORMATS:
        raise UnknownNameError("format", name, list(FORMATS))
    return FORMATS[name](sites)
