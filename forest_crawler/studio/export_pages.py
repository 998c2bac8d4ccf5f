"""Exports: which files of a crawl are whole, downloads, and feeds to subscribe to."""

from __future__ import annotations

import re
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from forest_crawler.errors import UnknownNameError
from forest_crawler.export.archive_rows import ArticleFilter, column_names, read_rows
from forest_crawler.export.archives import open_archive
from forest_crawler.export.feed import FEED_FORMATS, MAX_ITEMS, FeedHead, write_feed
from forest_crawler.export.feed_rows import newest_rows
from forest_crawler.export.formats import FORMATS, export_wrappers
from forest_crawler.export.source_feeds import common_language
from forest_crawler.export.stored_rules import site_rules
from forest_crawler.store import ArchiveFile, store_file
from forest_crawler.store.studio_store import StudioStore
from forest_crawler.studio.forms import read_form, text_of
from forest_crawler.studio.rendering import render, studio_of

ARTICLE_FORMS = ("jsonl", "csv", "parquet", "markdown")
MAX_SITES = 20
"""Sites that are named per file as not whole."""

MAX_FEEDS = 200
"""Sites whose feeds are listed."""


def show_exports(request: Request) -> Response:
    """Show the files of the crawl, and what can be downloaded."""
    studio = studio_of(request)
    store, rows = studio.reading(), studio.sites.rows()
    return render(
        request,
        "exports.html",
        files=[_describe_file(request, store, *row) for row in store.written_files()],
        sites=[row.site for row in rows[:2000]],
        fed=[row.site for row in rows if row.articles],
        max_feeds=MAX_FEEDS,
        article_forms=ARTICLE_FORMS,
        wrapper_forms=list(FORMATS),
        feed_forms=FEED_FORMATS,
    )


def _describe_file(
    request: Request, store: StudioStore, name: str, seq: int, offset: int
) -> dict[str, Any]:
    """Compare a file with the store: per site, the articles that it lacks."""
    missing = {site: number for site, (number, _) in store.count_by_site(seq).items()}
    path = _file_path(request, name)
    size = path.stat().st_size if path.is_file() else None
    state = "whole"
    if size is None:
        state = "missing"
    elif size != offset:
        state = "longer" if size > offset else "cut off"
    elif missing:
        state = "behind"
    return {
        "name": name,
        "state": state,
        "missing": sum(missing.values()),
        "sites": sorted(missing.items(), key=lambda it: -it[1])[:MAX_SITES],
        "size": size,
    }


def _file_path(request: Request, name: str) -> Path:
    own = store_file(studio_of(request).options.store)
    return Path(name) if own is None else own.absolute().parent / name


async def publish(request: Request) -> Response:
    """Bring a file of the crawl up to date, as a crawl does: repair it, append what it lacks."""
    studio = studio_of(request)
    form = await read_form(request)
    name = text_of(form, "file")

    def write() -> None:
        with studio.changing() as store:
            if name not in [file for file, _, _ in store.written_files()]:
                raise HTTPException(404, "no crawl has written such a file")
            with ArchiveFile(store, _file_path(request, name)) as file:
                file.export()

    await run_in_threadpool(write)
    return RedirectResponse("/exports", 303)


def download_articles(request: Request) -> Response:
    """Send the articles of a site or of all, in a form."""
    form, site = request.path_params["form"], request.query_params.get("site") or None
    if form not in ARTICLE_FORMS:
        raise HTTPException(404, f"articles come as {', '.join(ARTICLE_FORMS)}")
    store = studio_of(request).reading()
    directory = tempfile.TemporaryDirectory(prefix="forest-studio-")
    name = f"{_file_name(site or 'articles')}.{form}"
    is_directory = form == "markdown"
    path = Path(directory.name) / name
    if is_directory:
        path.mkdir()
    with open_archive(str(path) + ("/" if is_directory else ""), column_names("forest")) as archive:
        for row in read_rows(store, ArticleFilter(sites=[site] if site else [])):
            archive.write(row)
    if is_directory:
        path = _zip(path)
    return FileResponse(path, filename=path.name, background=BackgroundTask(directory.cleanup))


def _zip(directory: Path) -> Path:
    packed = directory.with_suffix(".zip")
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(directory.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(directory))
    return packed


def download_wrappers(request: Request) -> Response:
    """Send the wrappers of a site or of all in another tool's format."""
    store = studio_of(request).reading()
    site = request.query_params.get("site")
    sites = [site] if site else store.sites()
    try:
        exported = export_wrappers(
            [site_rules(store, it) for it in sites], request.path_params["form"]
        )
    except UnknownNameError as err:
        raise HTTPException(404, str(err)) from err
    files = {
        name or f"wrappers-{request.path_params['form']}.txt": text
        for name, text in exported.files.items()
    }
    if len(files) == 1:
        name, text = next(iter(files.items()))
        return _attachment(text.encode(), Path(name).name, "text/plain; charset=utf-8")
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return _attachment(
        packed.getvalue(), f"wrappers-{request.path_params['form']}.zip", "application/zip"
    )


def show_feed(request: Request) -> Response:
    """Send a site's newest articles as a full-text feed, which readers can subscribe to."""
    site, form = request.path_params["site"], request.path_params["form"]
    rows = newest_rows(studio_of(request).reading(), site=site, limit=MAX_ITEMS)
    if form not in FEED_FORMATS or not rows:
        raise HTTPException(404, f"no {form} feed of {site}")
    address = str(request.url.replace(query=""))
    head = FeedHead(site, f"http://{site}/", address, common_language(rows))
    kind = "application/rss+xml" if form == "rss" else "application/atom+xml"
    return Response(write_feed(head, rows, form), media_type=kind)


def _attachment(data: bytes, name: str, kind: str) -> Response:
    disposition = f'attachment; filename="{_file_name(name)}"'
    return Response(data, media_type=kind, headers={"content-disposition": disposition})


def _file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip(".-")[:100] or "articles"


ROUTES = [
    Route("/exports", show_exports),
    Route("/exports/publish", publish, methods=["POST"]),
    Route("/exports/articles.{form}", download_articles),
    Route("/exports/wrappers/{form}", download_wrappers),
    Route("/feeds/{site}.{form}", show_feed),
]
