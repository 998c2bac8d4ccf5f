"""What the programs showed, as digests: `make test` holds the simulations against them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.consumers.program import Program, Shown
from benchmarks.consumers.sites import Site
from forest_crawler.export.checked_page import words_of
from forest_crawler.export.choice import choose_form


def digest(markup: str) -> str:
    """Return a digest of the words that HTML shows."""
    return hashlib.sha256(" ".join(words_of(markup)).encode()).hexdigest()[:16]


def record(file: Path, program: Program, version: str, sites: Sequence[Site], shown: Shown) -> None:
    """Write a program's rules per site and the digests of what it showed; keep the others'."""
    document: dict[str, Any] = json.loads(file.read_bytes()) if file.exists() else {}
    document[program.name] = {
        "version": version,
        "sites": {site.name: _site(program, site, shown) for site in sites},
    }
    text = json.dumps(document, indent=1, ensure_ascii=True, sort_keys=True)
    file.write_text(text + "\n", encoding="ascii")


def _site(program: Program, site: Site, shown: Shown) -> Mapping[str, Any]:
    assert program.target is not None
    choice = choose_form(program.target(site), site.rules.portable, site.rules.pages)
    return {
        "rules": choice.written if choice else None,
        "pages": {
            page.labelled.id: digest(shown.get(site.page_url(page), "")) for page in site.pages
        },
    }
