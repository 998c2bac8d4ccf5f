"""The list of sites, and the page of one site: pages in the overlay view, wrappers, history."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from forest_crawler.errors import WrapperError
from forest_crawler.export.rules import css_list
from forest_crawler.feed.entry_codec import EntryValues
from forest_crawler.store import HeldPage, StoredWrapper
from forest_crawler.store.studio_store import StudioStore
from forest_crawler.studio.effects import PageSource, count_rule_hits
from forest_crawler.studio.frames import frame_policy, write_frame
from forest_crawler.studio.held import find_page, read_held, to_source
from forest_crawler.studio.rendering import render, studio_of
from forest_crawler.studio.site_list import ORDERS, Order, read_details
from forest_crawler.studio.site_ranking import rank_site
from forest_crawler.wrapper.wrapper import FIELDS, Wrapper

PER_PAGE = 50
DAYS = 30
MAX_HISTORY = 20


def list_sites(request: Request) -> Response:
    """Show one page of the list of sites."""
    studio = studio_of(request)
    wanted = request.query_params.get("sort")
    order: Order = next((it for it in ORDERS if it == wanted), "site")
    search = request.query_params.get("q", "")[:200]
    look = request.query_params.get("look") == "1"
    rows = studio.sites.rows(order, search, look)
    number = read_page_number(request)
    shown = rows[(number - 1) * PER_PAGE : number * PER_PAGE]
    return render(
        request,
        "sites.html",
        sites=read_details(studio.reading(), shown, DAYS),
        order=order,
        search=search,
        look=look,
        number=number,
        pages=max(-(-len(rows) // PER_PAGE), 1),
        total=len(rows),
        concerned=sum(bool(row.concerns) for row in studio.sites.rows()),
    )


def read_page_number(request: Request) -> int:
    """Return which page of a list is asked for; the first for anything odd."""
    text = request.query_params.get("page", "1")
    return max(int(text), 1) if text.isascii() and text.isdigit() and len(text) < 8 else 1


async def show_site(request: Request) -> Response:
    """Show a site: its pages with their wrapper, its wrappers and their history."""
    values, pages = await run_in_threadpool(_read_site, request)
    rows = [(it["wrapper"], path) for it in values["wrappers"] for _, path, _ in it["rules"]]
    hits, number = await studio_of(request).run(count_rule_hits, pages, rows)
    counted = iter(hits)
    for it in values["wrappers"]:
        it["rules"] = [(*rule, next(counted)) for rule in it["rules"]]
    return render(request, "site.html", parsed=number, **values)


def _read_site(request: Request) -> tuple[dict[str, Any], list[PageSource]]:
    studio = studio_of(request)
    site = request.path_params["site"]
    store = studio.reading()
    row = studio.sites.row(site)
    if row is None:
        raise HTTPException(404, f"no site {site!r} in this store")
    wrappers, error = read_wrappers(store, site)
    history = [] if error else store.wrapper_history(site)[:MAX_HISTORY]
    held = read_held(store, site)
    key = request.query_params.get("key")
    shown = find_page(held, key) if held else None
    present = wrappers[0].wrapper if wrappers else None
    values = {
        "listed": read_details(store, [row], DAYS)[0],
        "missing": store.count_missing(site),
        "wrappers": [describe_wrapper(it, number) for number, it in enumerate(wrappers, 1)],
        "chosen": _chosen_number(request, wrappers),
        "history": [describe_change(it, present) for it in history],
        "state": store.wrapper_state(site),
        "held": [_page_row(page) for page in held],
        "shown": shown,
        "error": error,
    }
    return values, [to_source(page) for page in held]


async def show_ranking(request: Request) -> Response:
    """Show how all candidates for the body of a wrapper rank on the held pages."""
    site = request.path_params["site"]
    pages, wrapper = await run_in_threadpool(_ranking_parts, request)
    ranking = await studio_of(request).run(rank_site, site, pages, wrapper)
    return render(request, "ranking.html", site=site, ranking=ranking, wrapper=wrapper)


def _ranking_parts(
    request: Request,
) -> tuple[list[tuple[PageSource, EntryValues | None]], Wrapper | None]:
    store, site = studio_of(request).reading(), request.path_params["site"]
    held = read_held(store, site)
    if not held:
        raise HTTPException(404, f"the store keeps no page of {site}; a crawl brings some")
    wrappers, _ = read_wrappers(store, site)
    chosen = wrappers[_chosen_number(request, wrappers) - 1].wrapper if wrappers else None
    return [(to_source(page), page.entry) for page in held], chosen


def read_wrappers(store: StudioStore, site: str) -> tuple[list[StoredWrapper], str | None]:
    """Return a site's wrappers, or why they cannot be read."""
    try:
        return store.wrappers(site), None
    except WrapperError as err:
        return [], str(err)


def _chosen_number(request: Request, wrappers: list[StoredWrapper]) -> int:
    """Return which wrapper marks the page, by the address; the first by default."""
    text = request.query_params.get("wrapper", "1")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 1
    return number if 1 <= number <= len(wrappers) else 1


def _page_row(page: HeldPage) -> dict[str, object]:
    title = (page.entry or {}).get("title")
    return {
        "key": page.key,
        "url": page.url,
        "title": str(title or page.url),
        "at": page.fetched_at,
    }


def describe_wrapper(stored: StoredWrapper, number: int) -> dict[str, Any]:
    """Return what the page of a site shows of a wrapper."""
    wrapper = stored.wrapper
    return {
        "number": number,
        "stored": stored,
        "wrapper": wrapper,
        "rules": list_rules(wrapper),
        "signifiers": wrapper.signifiers[:40],
    }


def list_rules(wrapper: Wrapper) -> list[tuple[str, str, str | None]]:
    """Return a wrapper's rules: role, XPath, and CSS if there is one."""
    rows = [("body", it) for it in wrapper.body] + [("strip", it) for it in wrapper.strip]
    rows += [(it, path) for it in FIELDS if (path := getattr(wrapper, it))]
    if wrapper.form != "portable":
        return [(role, path, None) for role, path in rows]
    return [(role, path, css_list([path], wrapper.site)) for role, path in rows]


def describe_change(stored: StoredWrapper, present: Wrapper | None) -> dict[str, object]:
    """Compare a retired wrapper with the present one: rules kept, dropped and added."""
    old = [f"{role}  {css or path}" for role, path, css in list_rules(stored.wrapper)]
    new = [f"{role}  {css or path}" for role, path, css in list_rules(present)] if present else []
    lines: list[tuple[str, str]] = []
    for kind, start, end, first, last in SequenceMatcher(None, old, new).get_opcodes():
        if kind == "equal":
            lines += [("same", it) for it in old[start:end]]
        else:
            lines += [("old", it) for it in old[start:end]]
            lines += [("new", it) for it in new[first:last]]
    return {"stored": stored, "lines": lines}


async def show_frame(request: Request) -> Response:
    """Send a held page as the document of a frame."""
    studio = studio_of(request)
    edit = request.query_params.get("edit") == "1"
    page, wrapper = await run_in_threadpool(_frame_parts, request)
    keywords = wrapper.signifiers if wrapper and not edit else ()
    document = await studio.run(write_frame_job, page, wrapper, keywords, edit)
    headers = {"content-security-policy": frame_policy(edit=edit)}
    return HTMLResponse(document, headers=headers)


def write_frame_job(
    page: PageSource, wrapper: Wrapper | None, keywords: tuple[str, ...], edit: bool
) -> str:
    """Write the document of a frame; runs in a worker."""
    return write_frame(page, wrapper, keywords, edit=edit)


def _frame_parts(request: Request) -> tuple[PageSource, Wrapper | None]:
    store = studio_of(request).reading()
    site = request.path_params["site"]
    page = find_page(read_held(store, site), request.query_params.get("key"))
    wrappers, _ = read_wrappers(store, site)
    number = _chosen_number(request, wrappers)
    is_bare = not wrappers or request.query_params.get("wrapper") == "0"
    return to_source(page), None if is_bare else wrappers[number - 1].wrapper


ROUTES = [
    Route("/sites", list_sites),
    Route("/sites/{site}", show_site),
    Route("/sites/{site}/frame", show_frame),
    Route("/sites/{site}/ranking", show_ranking),
]
