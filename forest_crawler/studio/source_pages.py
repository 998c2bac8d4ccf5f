"""Sources: how their polls end, and changes: add, import a list, poll now, remove.

What a person changes is written to the store; the next crawl, or the next round of a running one,
acts on it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from forest_crawler.errors import InputError
from forest_crawler.feed.feed_list import FeedList, read_feed_list
from forest_crawler.studio.forms import file_of, number_of, read_form, text_of
from forest_crawler.studio.rendering import render, studio_of
from forest_crawler.studio.site_pages import read_page_number

PER_PAGE = 100
FILTERS = ("all", "failing", "due")


def list_sources(request: Request) -> Response:
    """Show the sources of the store."""
    return _show(request)


def _show(request: Request, added: int | None = None, result: FeedList | None = None) -> Response:
    known = studio_of(request).reading().sources()
    now = time.time()
    search = request.query_params.get("q", "").lower()
    wanted = request.query_params.get("show", "all")
    found = [
        source
        for source in known
        if (wanted != "failing" or source.is_failing)
        and (wanted != "due" or (not source.disabled and source.next_poll <= now))
        and (search in source.url.lower() or search in (source.title or "").lower())
    ]
    number = read_page_number(request)
    return render(
        request,
        "sources.html",
        sources=found[(number - 1) * PER_PAGE : number * PER_PAGE],
        total=len(known),
        failing=sum(source.is_failing for source in known),
        found=len(found),
        pages=max(-(-len(found) // PER_PAGE), 1),
        number=number,
        wanted=wanted if wanted in FILTERS else "all",
        search=search,
        now=now,
        added=added,
        result=result,
    )


async def add(request: Request) -> Response:
    """Add the URLs of a text, or of an uploaded list or OPML file."""
    form = await read_form(request)
    upload = file_of(form, "list")
    data = await upload.read() if upload else text_of(form, "urls").encode()
    if not data.strip():
        raise HTTPException(422, "write a URL, or choose a list or an OPML file")
    name = upload.filename if upload and upload.filename else "list.txt"
    added, result = await run_in_threadpool(_add_all, request, data, Path(name).suffix)
    return await run_in_threadpool(_show, request, added, result)


def _add_all(request: Request, data: bytes, suffix: str) -> tuple[int, FeedList]:
    """Read a list as `forest crawl` does, and add what is usable."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / f"list{suffix if suffix.isascii() else ''}"
        file.write_bytes(data)
        try:
            result = read_feed_list(str(file))
        except InputError as err:  # without the name of the temporary file
            raise InputError(err.message.replace(str(file), "line"), "the list") from err
    with studio_of(request).changing() as store, store.batch():
        added = sum(store.enlist(entry.url) for entry in result.entries)
    return added, result


async def poll(request: Request) -> Response:
    """Make a source due now."""
    form = await read_form(request)
    number = number_of(form, "number")

    def write() -> None:
        with studio_of(request).changing() as store:
            store.poll_soon(number)

    await _change(write)
    return RedirectResponse("/sources?show=due", 303)


async def remove(request: Request) -> Response:
    """Never poll a source again."""
    form = await read_form(request)
    number = number_of(form, "number")

    def write() -> None:
        with studio_of(request).changing() as store:
            store.discard(number)

    await _change(write)
    return RedirectResponse("/sources", 303)


async def _change(write: Callable[[], None]) -> None:
    try:
        await run_in_threadpool(write)
    except KeyError as err:
        raise HTTPException(404, "no such source any more") from err


ROUTES = [
    Route("/sources", list_sources),
    Route("/sources", add, methods=["POST"]),
    Route("/sources/poll", poll, methods=["POST"]),
    Route("/sources/remove", remove, methods=["POST"]),
]
