"""The application: its routes, its error pages, and who guards them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from forest_crawler.crawl.workers import WorkerError
from forest_crawler.errors import ForestError, StoreError, WrapperError
from forest_crawler.export.publishing.reader_api import PublishError
from forest_crawler.store.wrapper_edits import ChangedWrappersError
from forest_crawler.studio import (
    article_pages,
    edit_pages,
    evaluation_pages,
    export_pages,
    rule_pages,
    site_pages,
    source_pages,
)
from forest_crawler.studio.options import StudioOptions
from forest_crawler.studio.rendering import render_error
from forest_crawler.studio.security import Guard
from forest_crawler.studio.service.app import PREFIX, service_routes
from forest_crawler.studio.service.full_text import FullText
from forest_crawler.studio.studio import Jobs, Studio

ROOMS = (
    *(site_pages, edit_pages, article_pages, source_pages, evaluation_pages),
    *(export_pages, rule_pages),
)


def make_app(
    options: StudioOptions, jobs: Jobs | None = None, service: FullText | None = None
) -> Starlette:
    """Make the application over a store; with `service`, full texts are at `/api/v1`."""
    studio = Studio(options, jobs)
    routes: list[BaseRoute] = [route for room in ROOMS for route in room.ROUTES]
    assets = StaticFiles(directory=Path(str(files(__package__).joinpath("assets"))))
    routes += [Mount("/assets", assets), Route("/", _home)]
    if service is not None:
        routes.append(Mount(PREFIX, routes=service_routes(service)))
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, options=options)],
        exception_handlers={HTTPException: _answer_http, ForestError: _answer_error},
        lifespan=_lifespan,
    )
    app.state.studio, app.state.service = studio, service
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    app.state.studio.warm_up()
    yield
    if app.state.service is not None:
        await app.state.service.close()
    await run_in_threadpool(app.state.studio.close)


async def _home(request: Request) -> Response:
    return RedirectResponse("/sites", 303)


async def _answer_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    return render_error(request, error.detail, error.status_code)


_STATUS: tuple[tuple[type[ForestError], int], ...] = (
    (ChangedWrappersError, 409),
    (StoreError, 409),
    (WrapperError, 422),
    (PublishError, 502),
    (WorkerError, 503),
)

_WORKER_REASONS = {
    "time-limit": "the pages took too long to read",
    "memory-limit": "the pages took too much memory to read",
    "worker-died": "reading the pages ended the worker process",
}


async def _answer_error(request: Request, error: Exception) -> Response:
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 400)
    message = str(error)
    if isinstance(error, WorkerError):
        message = _WORKER_REASONS[error.reason]
    return render_error(request, message, status)
