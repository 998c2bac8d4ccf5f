"""The studio as files: every page that the first one leads to, with links between the files."""

from __future__ import annotations

import asyncio
import hashlib
import posixpath
import re
from collections import deque
from html import escape, unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from starlette.applications import Starlette
from starlette.types import Message

from forest_crawler.errors import StoreError
from forest_crawler.studio.app import make_app
from forest_crawler.studio.options import StudioOptions
from forest_crawler.studio.studio import Jobs

MAX_FILES = 50_000
START = ("/sites", "/articles", "/sources", "/evaluation", "/exports", "/exports/rules")
_LINK = re.compile(r'(?P<head>\s(?:href|src)=")(?P<target>/[^"]*)"')


def export_site(options: StudioOptions, directory: Path, jobs: Jobs | None = None) -> int:
    """Write all pages to a directory; return how many files. Raises `StoreError` on a full disk."""
    return asyncio.run(_export(make_app(options, jobs), directory))


async def _export(app: Starlette, directory: Path) -> int:
    waiting, names = deque(START), {target: file_name(target) for target in START}
    written = 0
    try:
        while waiting and written < MAX_FILES:
            target = waiting.popleft()
            status, kind, data = await fetch(app, target)
            if status != 200:
                continue
            if kind.startswith("text/html"):
                found = [unescape(it["target"]) for it in _LINK.finditer(data.decode())]
                for other in dict.fromkeys(it.partition("#")[0] for it in found):
                    if other and other not in names:
                        names[other] = file_name(other)
                        waiting.append(other)
                data = relink(data.decode(), target).encode()
            _write(directory / names[target], data)
            written += 1
        _write(directory / "index.html", _FIRST)
    except OSError as err:
        raise StoreError.unwritable(err, str(directory)) from err
    finally:
        app.state.studio.close()
    return written + 1


def relink(text: str, target: str) -> str:
    """Let the links of a page lead to the files beside its own."""
    own = posixpath.dirname(file_name(target))

    def replace(found: re.Match[str]) -> str:
        address, mark, fragment = unescape(found["target"]).partition("#")
        path = posixpath.relpath(file_name(address), own or ".") if address else ""
        return f'{found["head"]}{escape(path + mark + fragment)}"'

    return _LINK.sub(replace, text)


def file_name(target: str) -> str:
    """Return the file of an address; a query becomes a digest.

    >>> file_name("/sites"), file_name("/assets/studio.css")
    ('sites.html', 'assets/studio.css')
    """
    parts = urlsplit(target)
    steps = [re.sub(r"[^A-Za-z0-9._-]", "-", unquote(it)) for it in parts.path.split("/") if it]
    path = "/".join(step if step.strip(".") else "-" for step in steps) or "sites"
    if path.startswith("assets/"):
        return path
    digest = hashlib.sha256(parts.query.encode()).hexdigest()[:12] if parts.query else ""
    return f"{path}{'-' + digest if digest else ''}.html"


async def fetch(app: Starlette, target: str) -> tuple[int, str, bytes]:
    """Ask the application for a page; return status, type and content."""
    parts = urlsplit(target)
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    sent: list[Message] = []
    is_read = False

    async def receive() -> Message:
        nonlocal is_read
        if is_read:  # nobody disconnects; an endless answer of the same would spin
            await asyncio.Event().wait()
        is_read = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start = next(it for it in sent if it["type"] == "http.response.start")
    body = b"".join(it.get("body", b"") for it in sent if it["type"] == "http.response.body")
    headers = dict(start["headers"])
    return start["status"], headers.get(b"content-type", b"").decode(), body


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


_FIRST = b"""<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>forest</title>
<meta http-equiv="refresh" content="0; url=sites.html"><p><a href="sites.html">Sites</a></p></html>
"""
