"""Keep the extracted texts in a result, drop them from it, or write them to files."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from forest_crawler.evaluation.results import EvaluationResult, RunResult
from forest_crawler.evaluation.sets import PageSet

_UNSAFE = re.compile(r"[^\w.-]+")  # names of `cmd:` and `http://` methods have slashes and blanks


def drop_texts(result: EvaluationResult) -> EvaluationResult:
    """Remove the texts from a result, which makes it small enough to keep."""
    runs = (
        replace(run, pages=tuple(replace(page, text=None) for page in run.pages))
        for run in result.runs
    )
    return replace(result, runs=tuple(runs))


def keep_texts(result: EvaluationResult, sets: Sequence[PageSet]) -> EvaluationResult:
    """Add the gold to each text of a result."""
    golds = {pages.name: [page.gold for page in pages.pages] for pages in sets}
    runs = (
        replace(
            run,
            pages=tuple(
                replace(page, gold=gold)
                for page, gold in zip(run.pages, golds[run.set], strict=True)
            ),
        )
        for run in result.runs
    )
    return replace(result, runs=tuple(runs))


def text_files(result: EvaluationResult) -> Iterator[tuple[str, str]]:
    """Yield name and content of a file per run: JSON lines with `id` and `text`.

    The name is `SET.METHOD.jsonl`; if a method has several runs on a set, it also has protocol and
    setting.
    """
    counts = Counter((run.set, run.method) for run in result.runs)
    for run in result.runs:
        several = counts[run.set, run.method] > 1
        lines = (
            json.dumps({"id": page.id, "text": page.text or ""}, ensure_ascii=False)
            for page in run.pages
        )
        yield _file_name(run, several=several), "".join(f"{line}\n" for line in lines)


def _file_name(run: RunResult, *, several: bool) -> str:
    parts = [run.set, run.method]
    if several:
        parts += [run.protocol, *(f"{name}-{value}" for name, value in run.setting.items())]
    return ".".join(_UNSAFE.sub("_", part) for part in parts) + ".jsonl"
