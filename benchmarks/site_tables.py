"""Write the tables about the method `forest`: ideas, thresholds, and lost sites.

Lost sites are those on which a page-level tool is better. The tables are made from the files of
`benchmarks.ablation` and `benchmarks.tables` in `outputs/bench`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from forest_crawler.evaluation.results import RunResult

FAR_BELOW = 0.05
"""Points of F1 by which a site is far below a page-level tool."""

PROTOCOLS = ("in-sample", "unseen")


def ablation_tables(outputs: Path) -> Iterator[tuple[str, str]]:
    """Yield the tables of ideas and of thresholds, if their runs exist."""
    rows: list[dict[str, Any]] = []
    for file in sorted(outputs.glob("ablation.*.json")):
        rows += json.loads(file.read_text(encoding="utf-8"))
    for group in ("ideas", "curves"):
        if found := [row for row in rows if row["group"] == group]:
            yield f"{group}-table", _variant_table(found)


def _variant_table(rows: Sequence[dict[str, Any]]) -> str:
    sets = list(dict.fromkeys(row["set"] for row in rows))
    cells = {(row["label"], row["set"]): row for row in rows}
    lines = [f"| | {' | '.join(f'{name} in-sample | unseen' for name in sets)} |"]
    lines.append("|---" * (2 * len(sets) + 1) + "|")
    for label in dict.fromkeys(row["label"] for row in rows):
        found = [cells.get((label, name)) for name in sets]
        figures = [
            f"{100 * row[protocol]:.1f}" if row else "" for row in found for protocol in PROTOCOLS
        ]
        lines.append(f"| {label} | {' | '.join(figures)} |")
    return "\n".join(lines)


def loss_table(runs: Iterable[RunResult], yardstick: str) -> str:
    """List the sites on which `forest`, unseen, is far below the yardstick."""
    means: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    pages: dict[tuple[str, str], int] = {}
    for run in runs:
        if (run.method, run.protocol) not in (("forest", "unseen"), (yardstick, "page")):
            continue
        by_site: dict[str, list[float]] = defaultdict(list)
        for page in run.pages:
            by_site[page.site].append(page.scores["bigrams"].f1)
        for site, f1s in by_site.items():
            means[run.set, site][run.method] = fmean(f1s)
            pages[run.set, site] = len(f1s)
    both = {key: found for key, found in means.items() if len(found) == 2}
    lost = {k: f for k, f in both.items() if f["forest"] < f[yardstick] - FAR_BELOW}
    lines = [f"{len(lost)} of {len(both)} sites.", ""]
    lines += [f"| set | site | pages | forest, unseen | {yardstick} |", "|---|---|---|---|---|"]
    for (name, site), found in sorted(lost.items()):
        forest, other = 100 * found["forest"], 100 * found[yardstick]
        lines.append(f"| {name} | {site} | {pages[name, site]} | {forest:.1f} | {other:.1f} |")
    return "\n".join(lines)
