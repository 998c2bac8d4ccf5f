"""Makes `demo-page.png`: a site's part of the page that `forest demo` ends with.

    python docs/images/demo_page.py

Runs the demo in a temporary directory. Needs Chromium, Playwright and trafilatura.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

SITE = "stadtlicht"
OUTPUT = Path(__file__).with_name("demo-page.png")
WIDTH, HEIGHT = 1440, 900
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")


def main() -> None:
    """Run the demo and write the picture."""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "forest_crawler", "demo", "-o", directory]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
        take_picture(Path(directory, "index.html"))


def take_picture(document: Path) -> None:
    """Write the picture of a site's section."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(FLAGS)
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(f"{document.as_uri()}#{SITE}")
        section = page.locator(f"section#{SITE}")
        section.locator("summary").scroll_into_view_if_needed()
        page.wait_for_timeout(500)  # frames are read when they come into view
        section.screenshot(path=OUTPUT)
        browser.close()


if __name__ == "__main__":
    main()
