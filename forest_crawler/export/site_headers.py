"""Write the headers that imported site configs demand, for `forest crawl --site-headers`."""

from __future__ import annotations

import json
from collections.abc import Mapping

from forest_crawler.export.fivefilters_import import SiteConfig

_HEAD = """\
# Headers that site configs demand, for `forest crawl --site-headers`. Look at them first: some say
# that the request comes from a browser or from a search engine.
"""


def header_hosts(config: SiteConfig) -> list[str]:
    """Return the hosts to which a config's headers go; none if it has no headers.

    A header goes to hosts by name, so one for all hosts below a domain goes to its `www` only.
    """
    if not config.headers or not config.wrappers:
        return []
    first = config.wrappers[0]
    host = (first.host or first.site).removeprefix(".")
    return [host, f"www.{host}"]


def write_site_headers(headers: Mapping[str, Mapping[str, str]]) -> str:
    """Write headers per host.

    >>> print(write_site_headers({"gazette.example": {"referer": "x"}}).partition("\\n\\n")[2])
    ["gazette.example"]
    "referer" = "x"
    <BLANKLINE>
    """
    tables = [
        f"[{_quote(host)}]\n"
        + "".join(f"{_quote(name)} = {_quote(value)}\n" for name, value in rows.items())
        for host, rows in headers.items()
    ]
    return "\n".join([_HEAD, *tables])


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # TOML knows no surrogates
