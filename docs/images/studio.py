"""Makes `studio-sites.png`, `studio-site.png` and `studio-edit.png`: the studio's main views.

    python docs/images/studio.py

Runs the demo in a temporary directory and opens its store. The times of the articles are spread
over the last month, as if the sites had been watched. Needs Chromium and Playwright.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, sync_playwright

SITE = "stadtlicht.localhost"
IMAGES = Path(__file__).parent
SIZE = {"width": 1280, "height": 800}
PORT = 8419
ADDRESS = f"http://127.0.0.1:{PORT}"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")


def main() -> None:
    """Run the demo and the studio, and write the pictures."""
    with tempfile.TemporaryDirectory() as directory:
        forest = [sys.executable, "-m", "forest_crawler"]
        subprocess.run([*forest, "demo", "-o", directory], check=True, capture_output=True)  # noqa: S603
        spread_times(Path(directory, "demo.db"))
        store = f"sqlite:///{directory}/demo.db"
        words = ["studio", "--store", store, "--port", str(PORT), "--no-browser"]
        server = subprocess.Popen([*forest, *words], cwd=directory)  # noqa: S603
        try:
            take_pictures()
        finally:
            server.terminate()
            server.wait()


def spread_times(store: Path) -> None:
    """Let the articles be archived on days of the last month."""
    days = random.Random(1)  # noqa: S311
    with sqlite3.connect(store) as connection:
        for (site,) in connection.execute("select distinct site from articles").fetchall():
            query = "select seq from articles where site = ? order by seq"
            numbers = [row[0] for row in connection.execute(query, [site])]
            ages = sorted((days.uniform(0.02, 29) for _ in numbers), reverse=True)
            rows = [(time.time() - 86_400 * age, it) for age, it in zip(ages, numbers, strict=True)]
            connection.executemany("update articles set archived = ? where seq = ?", rows)


def take_pictures() -> None:
    """Write a picture of the list, of a site, and of the editor after a click."""
    with sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        open_page(page, "/sites")
        page.screenshot(path=IMAGES / "studio-sites.png", clip=_top(560))
        open_page(page, f"/sites/{SITE}")
        page.frame_locator("iframe.page").locator("h1").wait_for()
        page.screenshot(path=IMAGES / "studio-site.png")
        open_page(page, f"/sites/{SITE}/edit")
        page.locator('.editor[data-steps="0"]').wait_for()
        page.locator("[data-tool=strip]").click()
        frame = page.frame_locator("#frame")
        frame.locator("p", has_text="Ein ausgemusterter").click()
        page.locator('.editor[data-steps="1"]').wait_for()
        page.locator("#effects summary").first.click()
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=IMAGES / "studio-edit.png")
        browser.close()


def open_page(page: Page, path: str) -> None:
    """Open a page of the studio; wait until the studio listens."""
    for _ in range(100):
        try:
            page.goto(ADDRESS + path)
        except PlaywrightError:  # it has not started yet
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the studio does not start")


def _top(height: int) -> Any:
    return {"x": 0, "y": 0, "width": SIZE["width"], "height": height}


if __name__ == "__main__":
    main()
