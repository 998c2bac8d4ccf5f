"""Write a Python module for Scrapy or parsel that doesn't need this program."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from forest_crawler.export.python_code import CODE, describe_sites, site_literals, write_literal
from forest_crawler.export.rules import Export, Notes, SiteRules

FORMAT = "scrapy"

_MODULE = Template('''\
"""Extract articles of $sites, in Scrapy or with parsel alone.

    yield parse_article(response)

Rules by forest-crawler.
"""

import copy
from urllib.parse import urlsplit

from lxml import etree, html

RULES = $rules


def parse_article(response, site=None, url=None):
    """Return the article of a page as a dictionary, or None if no rule fits.

    response is a Scrapy response or a parsel Selector; it isn't changed. site is a key of RULES, by
    default that of the page's URL. url is the page's URL, which a Selector doesn't know. The keys
    are the same for every site: url, title, author, date, lead, html and text; values may be None.
    Links in html are absolute if the URL is known.
    """
    url = url or getattr(response, "url", None)
    page = getattr(response, "selector", response)
    root = copy.deepcopy(page.root)
    return _read_page(root, RULES.get(site or _find_site(url), []), url)


def _find_site(url):
    """Return the longest key of RULES that is the URL's host or a domain above it."""
    host = _host(url)
    while host and host not in RULES:
        host = host.partition(".")[2]
    return host


$code''')


def write_snippet(sites: Sequence[SiteRules]) -> Export:
    """Write a Python module with the rules of all sites and a function to apply them."""
    notes = Notes(FORMAT)
    for site in sites:
        notes.skip_dfs(site)
    rules = {site.site: site_literals(site) for site in sites if site.portable}
    names = describe_sites(sites)
    module = _MODULE.substitute(sites=names, rules=write_literal(rules), code=CODE)
    return Export({"": module}, tuple(notes.messages))
