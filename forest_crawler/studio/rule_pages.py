"""Rules for other programs: per site what each will show, downloads, and publishing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from forest_crawler.export.publishing.freshrss import log_in, publish_freshrss
from forest_crawler.export.publishing.miniflux import publish_miniflux, token_header
from forest_crawler.export.publishing.published import PublishedFeed
from forest_crawler.export.publishing.reader_api import ReaderApi
from forest_crawler.export.rules import SiteRules
from forest_crawler.export.stored_rules import site_rules
from forest_crawler.studio.forms import read_form, text_of
from forest_crawler.studio.rendering import render, studio_of
from forest_crawler.studio.rule_checks import PROGRAMS
from forest_crawler.studio.site_pages import read_page_number

PER_PAGE = 20
"""Sites whose rules are tried for one page: a second each, in the background."""

MAX_STATIC = 5
"""Pages of sites whose rules are tried for a static export: more would take hours."""

READERS = ("miniflux", "freshrss")
MAX_PUBLISHED = 500
"""Sites that are published at once."""


async def show_rules(request: Request) -> Response:
    """Show per site and program whether the articles will be whole."""
    return await _show(request)


async def _show(request: Request, **values: Any) -> Response:
    studio = studio_of(request)
    number = read_page_number(request)
    sites, pages, states = await run_in_threadpool(_shown_sites, request, number)
    if studio.options.is_static:
        await studio.rule_checks.complete(states if number <= MAX_STATIC else ())
    else:
        studio.rule_checks.start(states)
    rows = [(site, studio.rule_checks.find(site, state)) for site, state in states]
    return render(
        request,
        "rules.html",
        rows=rows,
        programs=PROGRAMS,
        number=number,
        pages=pages,
        total=sites,
        is_running=studio.rule_checks.is_running,
        **({"published": None, "reader": None} | values),
    )


def _shown_sites(request: Request, number: int) -> tuple[int, int, list[tuple[str, str]]]:
    studio = studio_of(request)
    wanted = request.query_params.get("site", "")
    rows = [row.site for row in studio.sites.rows(search=wanted) if row.wrappers.number]
    shown = rows[(number - 1) * PER_PAGE : number * PER_PAGE]
    store = studio.reading()
    pages = max(-(-len(rows) // PER_PAGE), 1)
    return len(rows), pages, [(site, store.wrapper_state(site)) for site in shown]


async def publish_rules(request: Request) -> Response:
    """Put the rules of a site, or of all, into a running reader; its secrets are not kept."""
    form = await read_form(request)
    given = {name: text_of(form, name) for name in ("reader", "url", "user", "secret", "site")}
    if given["reader"] not in READERS or not given["url"].startswith(("http://", "https://")):
        raise HTTPException(422, "choose a reader, and give its address: https://…")
    is_replacing = text_of(form, "replace") == "1"
    done = await run_in_threadpool(_publish, request, given, is_replacing)
    return await _show(request, published=done, reader=given["reader"])


def _publish(request: Request, given: dict[str, str], is_replacing: bool) -> list[PublishedFeed]:
    rules = _collect(request, given["site"])
    if given["reader"] == "miniflux":
        api = ReaderApi(given["url"], token_header(given["secret"]))
        return publish_miniflux(api, rules, replace=is_replacing)[0]
    api = log_in(given["url"], given["user"], given["secret"])
    return publish_freshrss(api, rules, replace=is_replacing)[0]


def _collect(request: Request, site: str) -> Sequence[SiteRules]:
    studio = studio_of(request)
    known = [row.site for row in studio.sites.rows() if row.wrappers.number]
    wanted = [it for it in known if not site or it == site]
    if not wanted:
        raise HTTPException(404, f"no wrapper of {site or 'any site'} in this store")
    if len(wanted) > MAX_PUBLISHED:
        message = f"more than {MAX_PUBLISHED} sites; use `forest publish`, or name one site"
        raise HTTPException(422, message)
    store = studio.reading()
    return [site_rules(store, it) for it in wanted]


ROUTES = [
    Route("/exports/rules", show_rules),
    Route("/exports/rules", publish_rules, methods=["POST"]),
]
