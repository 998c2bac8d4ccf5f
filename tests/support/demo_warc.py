"""The bundled sites as WARC files: each site's feed, home page and articles."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from forest_crawler.datasets.bundled_sites import bundled_sites
from tests.support.warc_builders import http_response, warc_record


def site_records(site: Path, *, feed: bool = True) -> Iterator[bytes]:
    """Yield the records of a bundled site, its feed first."""
    about = json.loads((site / "package.json").read_text())
    if feed:
        response = http_response((site / "feed.xml").read_bytes(), "application/rss+xml")
        yield warc_record(about["url"] + "feed.xml", response)
    home = http_response((site / "index.html").read_bytes())
    yield warc_record(about["url"], home)
    for page in sorted(site.glob("*.json")):
        if page.name != "package.json":
            url = json.loads(page.read_text())["url"]
            yield warc_record(url, http_response(page.with_suffix(".html").read_bytes()))


def write_warc(path: Path, records: Iterable[bytes]) -> Path:
    """Write a file with a gzip member per record."""
    path.write_bytes(b"".join(gzip.compress(record, mtime=0) for record in records))
    return path


def write_demo_warcs(directory: Path, *, feed: bool = True) -> list[Path]:
    """Write a file for each bundled site."""
    return [
        write_warc(directory / f"{site.name}.warc.gz", site_records(site, feed=feed))
        for site in bundled_sites()
    ]
