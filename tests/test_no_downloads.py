"""Word lists and models come with the package: nothing is downloaded, nothing is unpickled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

CODE = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        raise SystemExit(f"{event}: {arguments}")
    if event == "pickle.find_class":
        raise SystemExit(f"unpickles {arguments}")

sys.addaudithook(refuse)
import forest_crawler.crawl.worker_preload  # induces and extracts from a small site, by every step
from forest_crawler.text.terms import analyzer_for
for language in ("en", "de", "fr", "es", "ru", "ar", "zh", "xx"):
    analyzer_for(language).terms("The ferries of the harbour were built in two years.")
print("done")
"""


def test_worker_needs_neither_network_nor_pickles_nor_data_of_its_user(tmp_path: Path) -> None:
    nowhere = {"HOME": str(tmp_path), "NLTK_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=tmp_path,
        env=os.environ | nowhere,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "done\n", done.stderr
    assert list(tmp_path.iterdir()) == []  # no cache either
