"""Word lists and models are in the package: nothing is downloaded or unpickled."""

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
import forest_crawler.crawl.induction_preload  # runs every step of induction and extraction once
from forest_crawler.text.terms import analyzer_for
for language in ("en", "de", "fr", "es", "ru", "ar", "zh", "xx"):
    analyzer_for(language).terms("The ferries of the harbour were built in two years.")
print("done")
"""


def test_a_worker_needs_no_network_no_pickles_and_no_data_of_the_user(tmp_path: Path) -> None:
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
