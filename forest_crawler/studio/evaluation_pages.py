"""Evaluation: label pages by pointing, and score all methods on them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.errors import ForestError, InputError, WrapperError
from forest_crawler.studio.effects import PageSource
from forest_crawler.studio.forms import read_form, read_json, text_of
from forest_crawler.studio.held import find_page, read_held, to_source
from forest_crawler.studio.labels import Label, label_page, propose_label, save_label
from forest_crawler.studio.rendering import render, studio_of
from forest_crawler.studio.site_pages import read_wrappers
from forest_crawler.wrapper.wrapper import Wrapper

MAX_LISTED = 200


def show_evaluation(request: Request) -> Response:
    """Show the labelled pages and the scores of all methods."""
    studio = studio_of(request)
    directory = studio.options.labels
    pages, error = _read_labels(request)
    return render(
        request,
        "evaluation.html",
        directory=directory,
        labelled=pages[:MAX_LISTED],
        total=len(pages),
        error=error or studio.scores.error,
        scores=studio.scores.results,
        is_running=studio.scores.is_running,
    )


def _read_labels(request: Request) -> tuple[list[LabelledPage], str | None]:
    directory = studio_of(request).options.labels
    if not directory.is_dir():
        return [], None
    try:
        return list(read_pages(directory)), None
    except InputError as err:
        return [], str(err)


async def run_scores(request: Request) -> Response:
    """Score all methods in the background."""
    await read_form(request)
    studio = studio_of(request)
    if not studio.options.labels.is_dir():
        raise HTTPException(422, "no page is labelled yet; open a site, and label one of its pages")
    studio.scores.start(studio.options.labels)
    return RedirectResponse("/evaluation", 303)


def show_labeller(request: Request) -> Response:
    """Show a page to point at its article."""
    site = request.path_params["site"]
    held = read_held(studio_of(request).reading(), site)
    shown = find_page(held, request.query_params.get("key"))
    return render(request, "label.html", site=site, held=held, shown=shown)


async def preview_label(request: Request) -> Response:
    """Answer with the gold text of what is pointed at; of the wrapper's choice at first."""
    row = await read_json(request)
    try:
        label, _ = await _make_label(request, str(row.get("key")), row)
    except ForestError as err:
        return JSONResponse({"error": str(err)}, 422)
    return JSONResponse(asdict(label))


async def save(request: Request) -> Response:
    """Add the page with its gold to the test package."""
    form = await read_form(request)
    row = {"body": _numbers(text_of(form, "body")), "strip": _numbers(text_of(form, "strip"))}
    label, page = await _make_label(request, text_of(form, "key"), row)
    directory, site = studio_of(request).options.labels, request.path_params["site"]
    try:
        await run_in_threadpool(save_label, directory, site, page, label)
    except OSError as err:
        message = f"{directory}: cannot be written: {err.strerror}; choose another --labels"
        raise HTTPException(500, message) from err
    return RedirectResponse("/evaluation", 303)


async def _make_label(request: Request, key: str, row: dict[str, Any]) -> tuple[Label, PageSource]:
    studio = studio_of(request)
    page, wrapper = await run_in_threadpool(_label_parts, request, key)
    if row.get("body") is None:
        return await studio.run(propose_label, page, wrapper), page
    body, strip = (_check_numbers(row.get(name)) for name in ("body", "strip"))
    return await studio.run(label_page, page, body, strip), page


def _label_parts(request: Request, key: str) -> tuple[PageSource, Wrapper | None]:
    store, site = studio_of(request).reading(), request.path_params["site"]
    page = find_page(read_held(store, site), key)
    wrappers, _ = read_wrappers(store, site)
    return to_source(page), wrappers[0].wrapper if wrappers else None


def _check_numbers(value: Any) -> list[int]:
    if not isinstance(value, list) or any(type(it) is not int for it in value):
        raise WrapperError("'body' and 'strip' are lists of dfs numbers")
    return value


def _numbers(text: str) -> list[int]:
    return [int(it) for it in text.split(",") if it.isascii() and it.isdigit()]


ROUTES = [
    Route("/evaluation", show_evaluation),
    Route("/evaluation/run", run_scores, methods=["POST"]),
    Route("/sites/{site}/label", show_labeller),
    Route("/sites/{site}/label/preview", preview_label, methods=["POST"]),
    Route("/sites/{site}/label", save, methods=["POST"]),
]
