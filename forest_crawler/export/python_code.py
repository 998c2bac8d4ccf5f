"""What the exported Python modules share: rules as literals, and the code that applies them.

The modules need lxml only, and run without this program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from forest_crawler.export.date_paths import date_paths
from forest_crawler.export.portable_xpath import write_union
from forest_crawler.export.rules import SiteRules
from forest_crawler.wrapper.wrapper import Wrapper

FIELDS = ("title", "author", "date", "lead")
"""What is read besides the body; every site has them all, if only as `None`."""

CODE = '''\
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q "
    "rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr".split()
)


def _read_page(root, rules, url):
    """Return the article by the first rules that find one; `root` is changed."""
    for rule in rules:
        if not root.xpath(rule["body"]):
            continue
        if url:
            root.make_links_absolute(url, handle_failures="ignore")
        article = {"url": url}
        for name, paths in rule["fields"].items():
            article[name] = _read_field(root, paths)
        for path in rule["strip"]:
            for element in root.xpath(path):
                # It may be removed already, by itself or with an element around it.
                if element.getparent() is not None:
                    element.drop_tree()
        body = root.xpath(rule["body"])
        article["html"] = "\\n".join(map(_write, body))
        article["text"] = "\\n".join(line for element in body for line in _lines(element))
        return article
    return None


def _write(element):
    return html.tostring(element, encoding="unicode", with_tail=False)


def _read_field(root, paths):
    for path in paths:
        for found in root.xpath(path)[:1]:
            text = found if isinstance(found, str) else " ".join(found.itertext())
            return " ".join(text.split()) or None
    return None


def _lines(root):
    """Return the text of an element, a line per block."""
    pieces = []
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        is_element = isinstance(element.tag, str)
        if is_element and element.tag not in _INLINE:
            pieces.append("\\0")
        is_text = event == "start" and element.tag not in ("script", "style", "noscript")
        text = element.text if is_text else None if event == "start" else element.tail
        if element is not root or event == "start":
            pieces.append(text or "")
    return [line for it in "".join(pieces).split("\\0") if (line := " ".join(it.split()))]


def _host(url):
    return (urlsplit(url or "").hostname or "").removeprefix("www.")
'''


def site_literals(rules: SiteRules) -> list[dict[str, Any]]:
    """Return the rules of a site's templates, in the order in which they are tried."""
    return [_rule(wrapper) for wrapper in rules.portable]


def write_literal(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Write texts, lists and dictionaries as Python; JSON is Python here.

    >>> write_literal({"strip": []})
    '{\\n    "strip": []\\n}'
    """
    return json.dumps(value, indent=4, ensure_ascii=True)


def describe_sites(sites: Sequence[SiteRules]) -> str:
    """Name sites in a docstring: all of a few, else how many; odd characters are replaced."""
    names = [re.sub(r'[\\"\x00-\x1f\x7f-\x9f]', "?", it.site) for it in sites if it.portable]
    joined = ", ".join(names)
    return joined if len(joined) <= 50 else f"{len(names)} sites"


def _rule(wrapper: Wrapper) -> dict[str, Any]:
    located = {name: getattr(wrapper, name) for name in FIELDS}
    return {
        "body": write_union(wrapper.body),
        "strip": list(wrapper.strip),
        "fields": {
            name: [] if not path else date_paths(path) if name == "date" else [path]
            for name, path in located.items()
        },
    }
