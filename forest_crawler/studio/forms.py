"""Read what a page's form or script sends, once the CSRF token is checked."""

from __future__ import annotations

import json
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from forest_crawler.studio.rendering import studio_of
from forest_crawler.studio.security import CSRF_FIELD, CSRF_HEADER

MAX_BODY = 8 << 20
"""Bytes of a request: a feed list of ten thousand lines is smaller."""

_STALE = "this page is older than the running studio; reload it and try again"


async def read_form(request: Request) -> FormData:
    """Read a form; raises a 403 without the CSRF token."""
    _check_length(request)
    form = await request.form(max_files=1, max_fields=1000, max_part_size=MAX_BODY)
    given = form.get(CSRF_FIELD)
    if not studio_of(request).csrf.is_valid(given if isinstance(given, str) else None):
        raise HTTPException(403, _STALE)
    return form


async def read_json(request: Request) -> dict[str, Any]:
    """Read a JSON object; raises a 403 without the CSRF token."""
    _check_length(request)
    if not studio_of(request).csrf.is_valid(request.headers.get(CSRF_HEADER)):
        raise HTTPException(403, _STALE)
    try:
        found = json.loads(await request.body())
    except (ValueError, RecursionError) as err:
        raise HTTPException(400, f"not JSON: {err}") from err
    if not isinstance(found, dict):
        raise HTTPException(400, "not a JSON object")
    return found


def text_of(form: FormData, name: str) -> str:
    """Return a text field, without blanks around it; empty if it is missing."""
    value = form.get(name)
    return value.strip() if isinstance(value, str) else ""


def lines_of(form: FormData, name: str) -> list[str]:
    """Return the lines of a text field that aren't blank."""
    return [line.strip() for line in text_of(form, name).splitlines() if line.strip()]


def number_of(form: FormData, name: str) -> int:
    """Return a whole number; raises a 400 for anything else."""
    text = text_of(form, name)
    if not text.isascii() or not text.isdigit():
        raise HTTPException(400, f"{name!r} isn't a number")
    return int(text[:18])


def file_of(form: FormData, name: str) -> UploadFile | None:
    """Return an uploaded file, if one was chosen."""
    value = form.get(name)
    return value if isinstance(value, UploadFile) and value.filename else None


def _check_length(request: Request) -> None:
    length = request.headers.get("content-length", "")
    if not length.isdigit() or int(length) > MAX_BODY:
        raise HTTPException(413, f"a request may have {MAX_BODY >> 20} MB at most")
