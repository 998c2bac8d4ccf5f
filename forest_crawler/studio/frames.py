"""The document in a frame: a held page with its marks, and the script that reports clicks.

A job: it parses a page of a stranger. The frame is sandboxed on an opaque origin; only our script
runs in it, which tells the page around it the dfs numbers of elements.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from forest_crawler.studio.effects import PageSource
from forest_crawler.studio.overlay import overlay_page
from forest_crawler.wrapper.wrapper import Wrapper

FRAME_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {scripts}; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox{allowed}"
)
"""Sent with the document, beside the one that is in it: it also holds outside of a frame."""


def write_frame(
    page: PageSource, wrapper: Wrapper | None, keywords: Sequence[str], *, edit: bool
) -> str:
    """Write the document of a frame."""
    script = frame_script() if edit else None
    return overlay_page(page.source, page.url, wrapper, keywords, script=script)


def frame_policy(*, edit: bool) -> str:
    """Return the Content-Security-Policy of a frame's document."""
    if not edit:
        return FRAME_POLICY.format(scripts="'none'", allowed="")
    return FRAME_POLICY.format(scripts=f"'sha256-{_script_digest()}'", allowed=" allow-scripts")


@cache
def frame_script() -> str:
    """Return the script that reports what a person points at in a frame."""
    return files(__package__).joinpath("assets/frame.js").read_text(encoding="utf-8")


@cache
def _script_digest() -> str:

    return base64.b64encode(hashlib.sha256(frame_script().encode()).digest()).decode()
