"""Write the tables of docs/explanation/evaluation.md: all methods, all sets.

`python -m benchmarks.tables [RUN…]` runs what `outputs/bench` lacks, or only the given runs,
and writes the tables into that page between their markers. `--fresh` runs everything again, which
takes about an hour on two cores.
"""

from __future__ import annotations

import argparse
import datetime
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.bench_data import find_set
from benchmarks.site_tables import ablation_tables, loss_table
from forest_crawler.evaluation.peers.registry import peer_names
from forest_crawler.evaluation.results import EvaluationResult, RunResult, load_result
from forest_crawler.evaluation.runner import EvaluationOptions, evaluate
from forest_crawler.evaluation.sets import read_set, select_pages
from forest_crawler.evaluation.site_methods import site_method_names
from forest_crawler.extraction.methods.registry import extractor_names

SETS = ("big9", "l3s-gn1", "dragnet", "chaos", "cleaneval", "wcxb")
SITE_SETS = ("big9", "l3s-gn1", "dragnet", "chaos")
KINDS = ("article", "documentation", "forum", "product", "service", "listing", "collection")
OUTPUTS = Path("outputs/bench")
DOCUMENT = Path("docs/explanation/evaluation.md")
YARDSTICK = "trafilatura"


@dataclass(frozen=True, slots=True)
class Run:
    """One evaluation, whose result is kept in a file."""

    name: str
    sets: tuple[str, ...]
    methods: Callable[[], Sequence[str]]
    options: EvaluationOptions
    min_pages: int = 1


def _peers() -> list[str]:
    return list(peer_names())


RUNS = (
    Run("papers", SETS, extractor_names, EvaluationOptions()),
    Run("peers", SETS, _peers, EvaluationOptions()),
    Run("times", ("big9",), lambda: [*extractor_names(), *_peers()], EvaluationOptions()),
    Run(
        "sites",
        SITE_SETS,
        site_method_names,
        EvaluationOptions(protocols=("in-sample", "unseen")),
        min_pages=2,
    ),
    Run(
        "site-peers",
        SITE_SETS,
        lambda: ["page", YARDSTICK, "trafilatura-fast", "readability-lxml"],
        EvaluationOptions(),
        min_pages=2,
    ),
    *(
        Run(f"study-{study}", ("big9",), lambda: ["forest-paper"], EvaluationOptions(study=study))
        for study in ("pages", "signifiers", "measure")
    ),
    Run("study-forest-pages", ("big9",), lambda: ["forest"], EvaluationOptions(study="pages")),
)


def main(argv: Sequence[str] | None = None) -> None:
    """Run what is missing and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="*", metavar="RUN", help="the names of runs")
    parser.add_argument("--fresh", action="store_true", help="run again what has been run before")
    arguments = parser.parse_args(argv)
    names = [run.name for run in RUNS]
    if unknown := sorted(set(arguments.runs) - set(names)):
        parser.error(f"there is no run {', '.join(unknown)}; known: {', '.join(names)}")
    OUTPUTS.mkdir(parents=True, exist_ok=True)
    results = {}
    for run in RUNS:
        file = OUTPUTS / f"{run.name}.json"
        wanted = run.name in arguments.runs or not arguments.runs
        if wanted and (arguments.fresh or not file.is_file()) and not _evaluate(run, file):
            return
        if file.is_file():
            results[run.name] = load_result(file.read_text(encoding="utf-8"), str(file))
    _write_tables(results)


def _evaluate(run: Run, file: Path) -> bool:
    paths = [find_set(name) for name in run.sets]
    sets = [select_pages(read_set(str(path)), min_pages=run.min_pages) for path in paths if path]
    if len(sets) < len(run.sets):
        return False
    print(f"running {run.name} …", flush=True)
    result = evaluate(sets, list(run.methods()), run.options)
    file.write_text(result.to_json(), encoding="utf-8")
    return True


def _write_tables(results: dict[str, EvaluationResult]) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, table in _tables(results):
        begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        if begin not in text or end not in text:
            print(f"{DOCUMENT} has no markers for {name}: add {begin} and {end}")
            continue
        before, rest = text.split(begin, 1)
        text = before + f"{begin}\n{table}\n{end}" + rest.split(end, 1)[1]
    DOCUMENT.write_text(text, encoding="utf-8")


def _tables(results: dict[str, EvaluationResult]) -> Iterable[tuple[str, str]]:
    made = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    python = platform.python_version()
    versions = (
        f"forest-crawler {version('forest-crawler')}, Python {python}, lxml {version('lxml')}"
    )
    yield "made", f"Made on {made} with {versions}, by the runs of `make bench`, one by one."
    runs = [run for name in ("papers", "peers") if name in results for run in results[name].runs]
    if runs:
        yield "page-table", _grid(runs, SETS, lambda run: run.method)
        yield "kind-table", _kinds([run for run in runs if run.set == "wcxb"])
    if "times" in results:
        yield "time-table", _times(results["times"].runs)
    site_runs = [
        run for name in ("sites", "site-peers") if name in results for run in results[name].runs
    ]
    if site_runs:
        yield "site-table", _grid(site_runs, SITE_SETS, lambda run: f"{run.method}, {run.protocol}")
        yield "loss-table", loss_table(site_runs, YARDSTICK)
    yield from ablation_tables(OUTPUTS)
    for name, result in results.items():
        if name.startswith("study-"):
            yield name, _study(result.runs)


def _grid(runs: Sequence[RunResult], sets: Sequence[str], label: Callable[[RunResult], str]) -> str:
    """Write mean F1 with a row per method and a column per set, the best in bold."""
    cells = {(label(run), run.set): 100 * _f1(run) for run in runs}
    best = {name: max((v for (_, s), v in cells.items() if s == name), default=0) for name in sets}
    lines = [f"| | {' | '.join(sets)} |", "|---" * (len(sets) + 1) + "|"]
    labels = list(dict.fromkeys(name for name, _ in cells))
    order = sorted(labels, key=lambda name: -sum(cells.get((name, s), 0) for s in sets))
    for name in order:
        row = [_cell(cells.get((name, s)), best[s]) for s in sets]
        lines.append(f"| {name} | {' | '.join(row)} |")
    return "\n".join(lines)


def _cell(value: float | None, best: float) -> str:
    if value is None:
        return ""
    return f"**{value:.1f}**" if value >= best else f"{value:.1f}"


def _kinds(runs: Sequence[RunResult]) -> str:
    lines = [f"| | all | {' | '.join(KINDS)} |", "|---" * (len(KINDS) + 2) + "|"]
    for run in sorted(runs, key=lambda run: -_f1(run)):
        row = []
        for kind in KINDS:
            scores = [page.scores["bigrams"].f1 for page in run.pages if page.kind == kind]
            row.append(f"{100 * sum(scores) / len(scores):.1f}" if scores else "")
        lines.append(f"| {run.method} | {100 * _f1(run):.1f} | {' | '.join(row)} |")
    return "\n".join(lines)


def _times(runs: Sequence[RunResult]) -> str:
    """Write seconds on big9, parsing included, as a share of the yardstick's."""
    seconds = {
        run.method: sum(page.seconds for page in run.pages) for run in runs if run.set == "big9"
    }
    yardstick = seconds.get(YARDSTICK)
    if not yardstick:
        return f"({YARDSTICK} has not been run)"
    lines = [f"| | time / {YARDSTICK} |", "|---|---|"]
    lines += [
        f"| {name} | {value / yardstick:.2f} |"
        for name, value in sorted(seconds.items(), key=lambda item: item[1])
    ]
    return "\n".join(lines)


def _study(runs: Sequence[RunResult]) -> str:
    lines = ["| setting | P | R | F1 |", "|---|---|---|---|"]
    for run in runs:
        setting = ", ".join(f"{value} {name}" for name, value in run.setting.items())
        scores = [page.scores["bigrams"] for page in run.pages]
        figures = (
            sum(getattr(score, name) for score in scores) / len(scores)
            for name in ("precision", "recall", "f1")
        )
        lines.append(f"| {setting} | {' | '.join(f'{100 * value:.1f}' for value in figures)} |")
    return "\n".join(lines)


def _f1(run: RunResult) -> float:
    return sum(page.scores["bigrams"].f1 for page in run.pages) / len(run.pages)


if __name__ == "__main__":
    main()
