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


def write_demo_warcs(directory: Path) -> list[Path]:
    """Write the bundled sites into two files, in the layout of CC-NEWS."""
    sites = bundled_sites()
    folder = directory / "CC-NEWS" / "2024" / "01"
    folder.mkdir(parents=True)
    return [
        write_warc(
            folder / f"CC-NEWS-20240102030405-{number:05}.warc.gz",
            [_warcinfo(), *(record for site in some for record in site_records(site))],
        )
        for number, some in enumerate((sites[:5], sites[5:]))
    ]


def _warcinfo() -> bytes:
    return warc_record(None, b"software: StormCrawler\r\n", kind="warcinfo")
