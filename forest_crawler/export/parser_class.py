"""Write a Python module with a parser class per site, in the manner of Fundus.

A class has the site's hosts and `parse`, which returns the article under the names that Fundus
uses. It needs lxml only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import Template

from forest_crawler.export.python_code import CODE, describe_sites, site_literals, write_literal
from forest_crawler.export.rules import Export, Notes, SiteRules

FORMAT = "parser"

_MODULE = Template('''\
"""Parsers of articles of $sites.

    article = find_parser(url).parse(page, url)

Rules by forest-crawler.
"""

from datetime import datetime
from urllib.parse import urlsplit

from lxml import etree, html


class ArticleParser:
    """The parser of one site; templates are tried in order."""

    site = ""
    templates = ()

    def parse(self, page, url=None):
        """Return the article of a page, given as text or bytes, or None if no template fits.

        The keys are those of Fundus: title, authors, publishing_date, summary, body (a list of
        paragraphs), plaintext; and html and url.
        """
        root = html.document_fromstring(page)
        article = _read_page(root, self.templates, url)
        if article is None:
            return None
        return {
            "url": article["url"],
            "title": article["title"],
            "authors": [article["author"]] if article["author"] else [],
            "publishing_date": _read_date(article["date"]),
            "summary": article["lead"],
            "body": article["text"].splitlines(),
            "plaintext": article["text"],
            "html": article["html"],
        }


$classes
PARSERS = {it.site: it for it in ($names)}


def find_parser(url):
    """Return a parser for a URL, or None if its site isn't known."""
    host = _host(url)
    while host and host not in PARSERS:
        host = host.partition(".")[2]
    return PARSERS[host]() if host else None


def _read_date(text):
    """Return a date in ISO 8601 as datetime; None for any other text."""
    try:
        return datetime.fromisoformat((text or "").replace("Z", "+00:00"))
    except ValueError:
        return None


$code''')

_CLASS = Template('''\
class $name(ArticleParser):
    """The parser of $site."""

    site = $literal
    templates = $templates


''')


def write_parsers(sites: Sequence[SiteRules]) -> Export:
    """Write a Python module with a class per site."""
    notes = Notes(FORMAT)
    names: dict[str, SiteRules] = {}
    for site in sites:
        notes.skip_dfs(site)
        if site.portable:
            names[_class_name(site.site, names)] = site
    module = _MODULE.substitute(
        sites=describe_sites(sites),
        classes="".join(_write_class(name, site) for name, site in names.items()),
        names="".join(f"{name}, " for name in names).rstrip(" "),
        code=CODE,
    )
    return Export({"": module}, tuple(notes.messages))


def _write_class(name: str, site: SiteRules) -> str:
    return _CLASS.substitute(
        name=name,
        site=describe_sites([site]),
        literal=write_literal([site.site])[1:-1].strip(),
        templates=write_literal(site_literals(site)).replace("\n", "\n    "),
    )


def _class_name(site: str, taken: dict[str, SiteRules]) -> str:
    """Return a name for a site's class: its words, and a number if that is taken.

    >>> _class_name("harbour-gazette.example", {})
    'HarbourGazetteExampleParser'
    """
    words = re.findall(r"[a-z0-9]+", site.lower())
    start = "".join(it.capitalize() for it in words)
    name = f"{start}Parser" if start[:1].isalpha() else f"Site{start}Parser"
    return name if name not in taken else f"{name}{len(taken) + 1}"
