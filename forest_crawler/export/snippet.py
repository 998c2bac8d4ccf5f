"""Write a Python function for Scrapy or parsel that doesn't need this program."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from string import Template

from forest_crawler.export.date_paths import date_paths
from forest_crawler.export.portable_xpath import write_union
from forest_crawler.export.rules import Export, Notes, SiteRules
from forest_crawler.wrapper.wrapper import Wrapper

FORMAT = "scrapy"

_MODULE = Template('''\
"""Extract articles of $sites by rules of forest-crawler, in Scrapy or with parsel alone."""

RULES = $rules


def parse_article(response, site):
    """Return the article of a page, given as Scrapy response or parsel Selector."""
    page = getattr(response, "selector", response)
    for rule in RULES.get(site, []):
        if not page.xpath(rule["body"]):
            continue
        fields = {name: _text(page, paths) for name, paths in rule["fields"].items()}
        for path in rule["strip"]:
            for node in page.xpath(path):
                # It may be removed already, by itself or with an element around it.
                if node.root.getparent() is not None:
                    node.drop()
        return {**fields, "html": "\\n".join(page.xpath(rule["body"]).getall())}
    return None


def _text(page, paths):
    for path in paths:
        found = page.xpath(path)
        if found and "/@" in path:
            return found[0].get().strip()
        if found:
            return " ".join(" ".join(found[0].xpath(".//text()").getall()).split())
    return None
''')


def write_snippet(sites: Sequence[SiteRules]) -> Export:
    """Write a Python module with the rules of all sites and a function to apply them."""
    notes = Notes(FORMAT)
    rules = {}
    for site in sites:
        notes.skip_dfs(site)
        if site.portable:
            rules[site.site] = [_rule(wrapper) for wrapper in site.portable]
    # JSON is Python here: the rules have texts and lists only, no null and no booleans.
    literal = json.dumps(rules, indent=4, ensure_ascii=True)
    names = ", ".join(re.sub(r'[\\"\x00-\x1f\x7f-\x9f]', "?", name) for name in rules)[:60]
    return Export({"": _MODULE.substitute(sites=names, rules=literal)}, tuple(notes.messages))


def _rule(wrapper: Wrapper) -> dict[str, object]:
    located = {name: getattr(wrapper, name) for name in ("title", "author", "date", "lead")}
    return {
        "body": write_union(wrapper.body),
        "strip": list(wrapper.strip),
        "fields": {
            name: date_paths(path) if name == "date" else [path]
            for name, path in located.items()
            if path
        },
    }
