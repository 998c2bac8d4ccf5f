"""The options for fetching, which `forest crawl` and `forest page` share, and their settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, TypeVar

import click

from forest_crawler.cli._value_types import AcceptLanguage, InputFile, Port, Proxy
from forest_crawler.urls.networks import read_networks

_F = TypeVar("_F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--allow-network",
        "networks",
        multiple=True,
        metavar="CIDR",
        help="Allow fetching from this non-public network; repeatable.",
    ),
    click.option(
        "--allow-port",
        "ports",
        type=Port(),
        multiple=True,
        metavar="PORT",
        help="Allow this port besides the usual ones of web servers, or `any`; repeatable.",
    ),
    click.option(
        "--contact",
        metavar="TEXT",
        help="A URL or mail address of yours for the User-Agent header.",
    ),
    click.option(
        "--proxy",
        type=Proxy(),
        metavar="URL|env",
        help="Fetch through this HTTP proxy, or with `env` through those that the environment "
        "variables http_proxy and https_proxy name.",
    ),
    click.option(
        "--proxy-resolves",
        is_flag=True,
        help="Leave host names to the proxy that cannot be resolved here.",
    ),
    click.option(
        "--site-headers",
        type=InputFile(),
        metavar="FILE",
        help="A TOML file with headers per site, such as those of a login; they are sent to no "
        "other host.",
    ),
    click.option(
        "--cookies",
        type=InputFile(),
        metavar="FILE",
        help="A cookies.txt (Netscape format); cookies are sent to their own sites only.",
    ),
    click.option(
        "--accept-language",
        type=AcceptLanguage(),
        metavar="CODES",
        help="The languages to ask sites for, the best first, as `de-CH,de;q=0.8`.",
    ),
    click.option(
        "--render",
        "rendered",
        multiple=True,
        metavar="SITE|auto",
        help="Run the scripts of this site's pages in Chromium, or with `auto` those of pages that "
        "are empty without; repeatable. Needs the extra `render`.",
    ),
)


def fetch_options(function: _F) -> _F:
    """Add the options for fetching to a command."""
    return reduce(lambda command, option: option(command), reversed(_OPTIONS), function)


def fetch_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that the options stand for; wrong files raise `InputError`."""
    read_networks(options["networks"])  # raises an error that names the wrong one
    if options["site_headers"] or options["cookies"]:
        from forest_crawler.fetching.site_headers import read_site_headers

        read_site_headers(options["site_headers"], options["cookies"])
    if options["proxy_resolves"] and not options["proxy"]:
        raise click.UsageError("--proxy-resolves needs --proxy")
    if options["rendered"]:
        _check_rendering(options)
    return {
        "FOREST_ALLOW_NETWORKS": list(options["networks"]),
        "FOREST_ALLOW_PORTS": list(options["ports"]),
        "FOREST_CONTACT": options["contact"],
        "FOREST_PROXY": options["proxy"],
        "FOREST_PROXY_RESOLVES": options["proxy_resolves"],
        "FOREST_SITE_HEADERS": options["site_headers"],
        "FOREST_COOKIES": options["cookies"],
        "FOREST_ACCEPT_LANGUAGE": options["accept_language"],
        "FOREST_RENDER": list(options["rendered"]),
    }


def _check_rendering(options: Mapping[str, Any]) -> None:
    """Raise for a wrong site or a missing package before anything starts."""
    from scrapy.settings import BaseSettings

    from forest_crawler.fetching.rendering.middleware import sites_to_render

    sites_to_render(
        BaseSettings({"FOREST_RENDER": options["rendered"], "FOREST_PROXY": options["proxy"]})
    )
