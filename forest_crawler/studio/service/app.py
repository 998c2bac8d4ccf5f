"""The routes of the service: our own, and those of Full-Text RSS and the Postlight Parser."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from forest_crawler.crawl.workers import WorkerError
from forest_crawler.errors import EmptyPageError, FeedError, FetchError, ForestError
from forest_crawler.export.feed import FEED_FORMATS, FeedFormat, write_feed
from forest_crawler.export.full_text import feed_document, page_document
from forest_crawler.studio.service.full_text import FullText
from forest_crawler.studio.service.openapi import OPENAPI
from forest_crawler.studio.service.options import ServiceOptions
from forest_crawler.studio.service.turns import BusyError
from forest_crawler.studio.studio import Jobs

PREFIX = "/api/v1"
Endpoint = Callable[[Request], Awaitable[Response]]


def api_app(options: ServiceOptions, jobs: Jobs | None = None) -> Starlette:
    """Make the service as an application of its own: Host and token are checked."""
    guards = [Middleware(TrustedHostMiddleware, allowed_hosts=list(options.hosts))]
    if options.token:
        guards.append(Middleware(_TokenCheck, token=options.token))
    full_text = FullText(options, jobs)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await full_text.close()

    routes = [Mount(PREFIX, routes=service_routes(full_text))]
    return Starlette(routes=routes, middleware=guards, lifespan=lifespan)


def service_routes(full_text: FullText) -> list[BaseRoute]:
    """Return the routes, to be mounted at `/api/v1`; who may ask is up to the application."""
    api = _Api(full_text)
    return [
        Route("/extract", _reported(api.extract), methods=["GET"]),
        Route("/extract", _reported(api.extract_html), methods=["POST"]),
        Route("/feed", _reported(api.feed), methods=["GET"]),
        Route("/makefulltextfeed.php", _reported(api.makefulltextfeed), methods=["GET"]),
        Route("/parser", _reported(api.parser), methods=["GET"]),
        Route("/openapi.json", _openapi, methods=["GET"]),
    ]


class _Api:
    def __init__(self, full_text: FullText) -> None:
        self._full_text = full_text

    async def extract(self, request: Request) -> Response:
        return JSONResponse(await self._full_text.article(_url(request)))

    async def extract_html(self, request: Request) -> Response:
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > self._full_text.options.max_body:
                limit = self._full_text.options.max_body
                return _problem(f"the page is larger than {limit} bytes", 413)
        url = request.query_params.get("url")
        return JSONResponse(await self._full_text.article_of(bytes(body), url))

    async def parser(self, request: Request) -> Response:
        return JSONResponse(page_document(await self._full_text.article(_url(request))))

    async def feed(self, request: Request) -> Response:
        found = await self._full_text.feed(_url(request))
        wanted = request.query_params.get("format", "rss")
        form: FeedFormat = next((it for it in FEED_FORMATS if it == wanted), "rss")
        body = await run_in_threadpool(write_feed, found.head, found.rows, form)
        return _cached(request, body, f"application/{form}+xml", is_whole=found.is_whole)

    async def makefulltextfeed(self, request: Request) -> Response:
        if request.query_params.get("format") != "json":
            return await self.feed(request)
        found = await self._full_text.feed(_url(request))
        return JSONResponse(feed_document(found.head, found.rows))


class _TokenCheck(BaseHTTPMiddleware):
    def __init__(self, app: Any, token: str) -> None:
        super().__init__(app)
        self._token = token

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        _, _, bearer = request.headers.get("authorization", "").partition(" ")
        given = (bearer.strip(), request.query_params.get("token", ""))
        if any(hmac.compare_digest(it.encode(), self._token.encode()) for it in given):
            return await call_next(request)
        return _problem("give the token: ?token=… or the header Authorization: Bearer …", 401)


class _MissingUrlError(Exception):
    """A request without the URL that it is about."""


def _url(request: Request) -> str:
    url = request.query_params.get("url", "").strip()
    if not url:
        raise _MissingUrlError
    return url if "://" in url else f"https://{url}"


def _reported(endpoint: Endpoint) -> Endpoint:
    """Answer the errors of an endpoint with their reason."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except _MissingUrlError:
            return _problem("give the URL: ?url=https://…", 400)
        except BusyError:
            return _problem("too many pages are being fetched; retry later", 503)
        except FetchError as err:
            return _problem(str(err), 502)
        except (FeedError, EmptyPageError) as err:
            return _problem(str(err), 422)
        except WorkerError as err:
            return _problem(f"the page could not be read within the limits ({err.reason})", 422)
        except ForestError as err:  # no store, say, or no worker process
            return _problem(str(err), 503)

    return answer


def _cached(request: Request, body: bytes, kind: str, *, is_whole: bool) -> Response:
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": f"private, max-age={900 if is_whole else 60}"}
    known = [it.strip() for it in request.headers.get("if-none-match", "").split(",")]
    if tag in known:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=f"{kind}; charset=utf-8", headers=headers)


def _problem(message: str, status: int) -> Response:
    return JSONResponse({"error": True, "message": message}, status)


async def _openapi(request: Request) -> Response:
    return JSONResponse(OPENAPI)
