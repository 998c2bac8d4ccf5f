"""The report of a batch: a row per site in `_sites.jsonl`, and a summary for people."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from forest_crawler.batch.extraction import FileResult
from forest_crawler.errors import InputError
from forest_crawler.export.folders import open_folder
from forest_crawler.export.manifest import MANIFEST
from forest_crawler.export.outbox_parts import STEM as OUTBOX

REPORT = "_sites.jsonl"


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """What a batch gave."""

    files: int
    articles: int
    sites: int
    damaged: Mapping[str, str] = field(default_factory=dict)  # file → what is wrong with it
    repeated: int = 0  # pages that were there before
    attention: Mapping[str, int] = field(default_factory=dict)  # reason → sites that need a look
    figures: Mapping[str, int] = field(default_factory=dict)  # what passed between stages


def refuse_other_writers(output: str) -> None:
    """Raise if a folder has the parts of a crawl or an export: articles would be there twice."""
    folder = open_folder(output)
    for path in folder.names(MANIFEST):
        if path.startswith((f"{MANIFEST}/{OUTBOX}-", f"{MANIFEST}/export.")):
            raise InputError(
                f"has the parts of another writer ({path}); name another folder", output
            )


def write_report(
    output: str,
    results: Sequence[FileResult],
    rows: Iterable[Mapping[str, Any]],
    figures: Mapping[str, int] | None = None,
) -> BatchSummary:
    """Write a row per site, and sum up what the files gave."""
    ordered = sorted(rows, key=lambda row: str(row["site"]))
    lines = [json.dumps(row, ensure_ascii=True) + "\n" for row in ordered]
    open_folder(output).write(REPORT, "".join(lines).encode())
    return BatchSummary(
        files=len(results),
        articles=sum(result.articles for result in results),
        sites=len(ordered),
        damaged=dict(_describe_damage(results)),
        repeated=sum(result.repeated for result in results),
        attention=_count_attention(ordered),
        figures=figures or {},
    )


def _describe_damage(results: Iterable[FileResult]) -> Iterator[tuple[str, str]]:
    """Yield the files with broken records, or that aren't WARC files, and what is wrong."""
    for result in results:
        if result.damage.broken or not result.damage.readable:
            yield result.name, str(result.damage)


def _count_attention(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count the sites that need a look, by reason."""
    reasons = Counter(str(row["attention"]) for row in rows if row["attention"])
    return dict(sorted(reasons.items()))
