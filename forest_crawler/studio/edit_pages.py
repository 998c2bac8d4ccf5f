"""Edit a wrapper by pointing: the editor, previews of drafts, and pinning."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from forest_crawler.errors import ForestError, WrapperError
from forest_crawler.store import StoredWrapper
from forest_crawler.studio.effects import (
    DraftRequest,
    PageSource,
    check_draft,
    preview_draft,
    size_draft,
)
from forest_crawler.studio.forms import lines_of, number_of, read_form, read_json, text_of
from forest_crawler.studio.held import find_page, read_held, to_source
from forest_crawler.studio.pointing import FIELD_ACTIONS
from forest_crawler.studio.rendering import render, studio_of
from forest_crawler.studio.site_pages import read_wrappers
from forest_crawler.wrapper.wrapper import Wrapper


def show_editor(request: Request) -> Response:
    """Show the editor of a site's wrapper."""
    studio, site = studio_of(request), request.path_params["site"]
    store = studio.reading()
    held = read_held(store, site)
    if not held:
        raise HTTPException(404, f"the store keeps no page of {site}; a crawl brings some")
    wrappers, _ = read_wrappers(store, site)
    base = _find_base(wrappers, request.query_params.get("base"))
    return render(
        request,
        "edit.html",
        site=site,
        held=held,
        shown=find_page(held, request.query_params.get("key")),
        base=base,
        wrapper=base.wrapper if base else None,
        state=store.wrapper_state(site),
        fields=FIELD_ACTIONS,
    )


async def preview(request: Request) -> Response:
    """Answer with the draft that clicks and XPaths make, and what it changes."""
    studio, site = studio_of(request), request.path_params["site"]
    row = await read_json(request)
    try:
        pages, base = await run_in_threadpool(_draft_parts, request, row.get("base"))
        wanted = DraftRequest(
            site, base, _typed(site, row.get("typed")), _list(row, "clicks"), str(row.get("shown"))
        )
        found = await studio.run(preview_draft, pages, wanted)
    except ForestError as err:
        return JSONResponse({"error": str(err)}, 422)
    return JSONResponse(found)


async def pin(request: Request) -> Response:
    """Pin a draft, unless somebody else has changed the site's wrappers since."""
    studio, site = studio_of(request), request.path_params["site"]
    form = await read_form(request)
    fields = {name: text_of(form, name) for name in FIELD_ACTIONS}
    draft = check_draft(site, lines_of(form, "body"), lines_of(form, "strip"), **fields)
    pages, _ = await run_in_threadpool(_draft_parts, request, None)
    draft = await studio.run(size_draft, pages, draft)
    state, base = text_of(form, "state"), text_of(form, "base")

    def write() -> None:
        with studio.changing() as store:
            store.pin_draft(site, draft, state, int(base) if base.isdigit() else None)

    await run_in_threadpool(write)
    return RedirectResponse(f"/sites/{site}?pinned=1", 303)


async def unpin(request: Request) -> Response:
    """Unpin a wrapper; what it replaced is used again."""
    studio, site = studio_of(request), request.path_params["site"]
    form = await read_form(request)
    number, state = number_of(form, "number"), text_of(form, "state")

    def write() -> None:
        with studio.changing() as store:
            store.unpin(site, number, state)

    await run_in_threadpool(write)
    return RedirectResponse(f"/sites/{site}", 303)


async def restore(request: Request) -> Response:
    """Use a retired wrapper again."""
    studio, site = studio_of(request), request.path_params["site"]
    form = await read_form(request)
    number, state = number_of(form, "number"), text_of(form, "state")

    def write() -> None:
        with studio.changing() as store:
            store.restore_wrapper(site, number, state)

    await run_in_threadpool(write)
    return RedirectResponse(f"/sites/{site}", 303)


def _find_base(wrappers: list[StoredWrapper], number: str | None) -> StoredWrapper | None:
    """Return the wrapper that is edited: by its id, or the one that is tried first."""
    if number == "none":
        return None
    for stored in wrappers:
        if number is None or str(stored.id) == number:
            return stored
    return None


def _draft_parts(request: Request, base: Any) -> tuple[list[PageSource], Wrapper | None]:
    store, site = studio_of(request).reading(), request.path_params["site"]
    wrappers, _ = read_wrappers(store, site)
    stored = _find_base(wrappers, str(base or "none"))
    pages = [to_source(page) for page in read_held(store, site)]
    return pages, stored.wrapper if stored else None


def _typed(site: str, row: Any) -> Wrapper | None:
    """Read the XPaths that a person wrote; raises `WrapperError` with the reason."""
    if row is None:
        return None
    if not isinstance(row, dict):
        raise WrapperError("XPaths come as an object with 'body' and 'strip'")
    fields = {name: str(row.get(name) or "") for name in FIELD_ACTIONS}
    body, strip = _texts(row, "body"), _texts(row, "strip")
    if not any(body):
        return Wrapper(site, "", "portable", ())
    return check_draft(site, body, strip, **fields)


def _list(row: dict[str, Any], name: str) -> tuple[Any, ...]:
    value = row.get(name, [])
    if not isinstance(value, list):
        raise WrapperError(f"{name!r} isn't a list")
    return tuple(value)


def _texts(row: dict[str, Any], name: str) -> list[str]:
    return [str(text).strip() for text in _list(row, name)]


ROUTES = [
    Route("/sites/{site}/edit", show_editor),
    Route("/sites/{site}/draft", preview, methods=["POST"]),
    Route("/sites/{site}/pin", pin, methods=["POST"]),
    Route("/sites/{site}/unpin", unpin, methods=["POST"]),
    Route("/sites/{site}/restore", restore, methods=["POST"]),
]
