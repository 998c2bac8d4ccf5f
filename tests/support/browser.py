"""Debian's Chromium for tests, driven by Playwright; both are optional."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
"""The first that is installed is taken: without a window to draw, the shell needs half the time."""

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run"),
)


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start Chromium; skip the tests by name where it or Playwright is missing."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("needs Chromium: apt-get install chromium-headless-shell")
    api = pytest.importorskip("playwright.sync_api", reason="needs Playwright")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()
