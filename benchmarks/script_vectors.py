"""Let Chromium read every output with script vectors: `python -m benchmarks.script_vectors`.

Each piece of output is the document of a frame of its own. As a control, the vectors themselves are
shown first: what runs there must not run from an output.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from html import escape, unescape
from pathlib import Path
from typing import Any

import feedparser

from forest_crawler.export.feed import FEED_FORMATS, FeedFormat, FeedHead, write_feed
from tests.export.test_script_vectors import lenient_markdown, make_forms
from tests.support.script_vectors import make_vectors

_PAGE = """<!doctype html><meta charset=utf-8><title>vectors</title><pre id=hits></pre>
<script>
const hits = new Set();
function note(n) {
  hits.add(n);
  document.getElementById("hits").textContent = JSON.stringify([...hits]);
}
note(-1);
</script>
"""
_FRAME = "<script>window.hit = n => parent.note(n)</script>{}"
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--virtual-time-budget=20000", "--timeout=120000", "--dump-dom"),
)
_BATCH = 40
"""Vectors per page: each output of each is a frame, of which a browser takes some thousands."""


def main() -> int:
    """Print the vectors that ran, of the control and of each output; 1 if an output ran one."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        print("Chromium isn't installed: apt-get install chromium")
        return 2
    vectors = make_vectors()
    control = _count_hits(program, list(enumerate(vectors)))
    print(f"raw: {len(control)} of {len(vectors)} vectors run")
    bad = 0
    for name in ("html", "markdown", *FEED_FORMATS):
        pieces = [(n, piece) for n, v in enumerate(vectors) for piece in _pieces(name, v)]
        found = _count_hits(program, pieces)
        bad += len(found)
        print(f"{name}: {len(found)} vectors run from {len(pieces)} pieces {sorted(found) or ''}")
    return 1 if bad or not control else 0


def _pieces(name: str, vector: str) -> Iterator[str]:
    forms = make_forms(vector)
    if name == "html":
        yield from {it.html for it in forms}
    elif name == "markdown":
        render = lenient_markdown().render
        yield from {render(it.markdown) for it in forms}
    else:
        yield from _feed_pieces("rss" if name == "rss" else "atom", vector, forms[0].html)


def _feed_pieces(form: FeedFormat, vector: str, html: str) -> Iterator[str]:
    row: dict[str, Any] = {"id": vector, "url": vector, "title": vector, "description": vector}
    row |= {"authors": [vector], "tags": [vector], "html": html}
    made = write_feed(FeedHead(vector, "http://gazette.example/"), [row], form)
    found = feedparser.parse(io.BytesIO(made), sanitize_html=False, resolve_relative_uris=False)
    (entry,) = found.entries
    texts = [found.feed.title, entry.title, entry.get("summary", ""), entry.author]
    yield from {*texts, entry.tags[0].term, *(it.value for it in entry.get("content", ()))}


def _count_hits(program: str, pieces: Sequence[tuple[int, str]]) -> set[int]:
    hits: set[int] = set()
    numbers = sorted({number for number, _ in pieces})
    for start in range(0, len(numbers), _BATCH):
        batch = set(numbers[start : start + _BATCH])
        hits |= _show(program, [piece for number, piece in pieces if number in batch])
    return hits


def _show(program: str, pieces: Sequence[str]) -> set[int]:
    frames = (f'<iframe srcdoc="{escape(_FRAME.format(piece))}"></iframe>' for piece in pieces)
    with tempfile.TemporaryDirectory() as directory:
        page = Path(directory, "vectors.html")
        page.write_text(_PAGE + "\n".join(frames), encoding="utf-8")
        command = [program, *_OPTIONS, f"--user-data-dir={directory}/profile", page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)  # noqa: S603
    shown = re.search(r'<pre id="hits">(.*?)</pre>', done.stdout, re.DOTALL)
    if shown is None:
        raise RuntimeError(f"the browser shows nothing: {done.stderr[-500:]}")
    return set(json.loads(unescape(shown[1]))) - {-1}


if __name__ == "__main__":
    sys.exit(main())
