"""`RenderMiddleware`: chooses the fetched pages that a browser shall render.

Those of the sites that FOREST_RENDER names, and with `auto` those that are empty without scripts.
It sees a page after redirects and checks, and sends the request once more, with the page.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.utils.httpobj import urlparse_cached

from forest_crawler.errors import InputError, MissingPackageError
from forest_crawler.fetching.content import KIND_KEY
from forest_crawler.fetching.rendering.shell_page import is_shell
from forest_crawler.urls.hosts import normal_host

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

AUTO = "auto"
DOCUMENT = "forest_document"
"""In the meta of a request to render: the response with the page as it was fetched."""


def sites_to_render(settings: BaseSettings) -> frozenset[str]:
    """Read FOREST_RENDER: hosts, whose subdomains are included, and `auto`.

    Raises `InputError` for what isn't a host, and if the extra `render` is missing.
    """
    names = [str(name).strip() for name in settings.getlist("FOREST_RENDER")]
    if not names:
        return frozenset()
    if find_spec("scrapy_playwright") is None:
        raise MissingPackageError("--render", "scrapy-playwright", extra="render")
    if settings.get("FOREST_PROXY"):
        raise InputError("can't be used together with a proxy", "--render")
    return frozenset(map(_read_site, names))


class RenderMiddleware:
    """Turns a page that needs a browser into a request that has it rendered."""

    def __init__(self, crawler: Crawler, sites: frozenset[str]) -> None:
        self.crawler = crawler
        self.is_automatic = AUTO in sites
        self.sites = sites - {AUTO}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        sites = sites_to_render(crawler.settings)
        if not sites:
            raise NotConfigured
        return cls(crawler, sites)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        if (
            DOCUMENT in request.meta
            or request.meta.get(KIND_KEY) != "page"
            or not 200 <= response.status < 300
            or not (self._is_named(response) or (self.is_automatic and is_shell(response.body)))
        ):
            return response
        document = response if isinstance(response, HtmlResponse) else _as_html(response)
        return request.replace(meta={**request.meta, DOCUMENT: document}, dont_filter=True)

    def _is_named(self, response: Response) -> bool:
        host = normal_host(urlparse_cached(response).hostname or "") or ""
        return any(host == site or host.endswith(f".{site}") for site in self.sites)


def _as_html(response: Response) -> HtmlResponse:
    """Make a page of a response whose label is something else; its bytes were checked."""
    return HtmlResponse(response.url, response.status, response.headers, response.body)


def _read_site(name: str) -> str:
    host = AUTO if name == AUTO else normal_host(name)
    if host is None or "/" in name:
        raise InputError(f"isn't a site, as gazette.example, nor {AUTO!r}", f"--render {name}")
    return host
