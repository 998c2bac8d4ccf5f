"""The results of an evaluation, to and from JSON: made by the runner, read by reports.

    EvaluationResult                      one run of `forest evaluate`
      └ RunResult                         one set × method × protocol (× a study's setting)
          └ PageResult                    one page: time, scores by measure, failure

The JSON form has the same names. `summary` is written for readers of the file; `load_result`
ignores it and computes it from the pages.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from forest_crawler.errors import InputError
from forest_crawler.evaluation.score import Score
from forest_crawler.evaluation.summary import Summary, summarize

FORMAT: Final = 1
BYTES_PER_KB: Final = 1000

Protocol: TypeAlias = Literal["page", "in-sample", "unseen"]
PROTOCOLS: Final[tuple[Protocol, ...]] = get_args(Protocol)

EntrySource: TypeAlias = Literal["feed", "metadata"]

Failure: TypeAlias = Literal["crash", "timeout", "no-tree", "too-few-pages", "no-wrapper"]
"""Why a page has no text.

crash, timeout: the method raised an error, died or took too long; the page scores zero.
no-tree: the page has no visible element. too-few-pages, no-wrapper: the site-level method has no
sample or induced nothing. These three are scored as an empty text.
"""
BREAKDOWNS: Final = frozenset[Failure]({"crash", "timeout"})


@dataclass(frozen=True, slots=True)
class PageResult:
    """The result of a method on one page."""

    id: str
    site: str
    size: int  # bytes of the page's source
    seconds: float  # parsing and extraction, and the page's share of its site's induction
    scores: Mapping[str, Score]  # by the measure's name
    url: str | None = None
    kind: str | None = None
    failure: Failure | None = None
    detail: str | None = None  # the failure in words
    entry: EntrySource | None = None  # where the method's feed entry came from
    text: str | None = None  # only if texts are kept
    gold: str | None = None  # only if texts are kept
    fragmented: bool | None = None  # the page's flags, as labelled
    multiple: bool | None = None

    @property
    def kilobytes(self) -> float:
        """The size in kB of 1,000 bytes."""
        return self.size / BYTES_PER_KB


@dataclass(frozen=True, slots=True)
class RunResult:
    """The results of a method on a set of pages under one protocol."""

    set: str
    method: str
    protocol: Protocol
    pages: tuple[PageResult, ...]  # in the order of the set
    version: str | None = None  # of a peer
    setting: Mapping[str, str | int] = dataclasses.field(default_factory=dict)  # of a study

    def summarize(self, measure: str) -> Summary:
        """Mean, spread and quartiles of the pages' scores by one measure."""
        return summarize([page.scores[measure] for page in self.pages])

    @property
    def sites(self) -> int:
        """The number of different sites."""
        return len({page.site for page in self.pages})

    @property
    def seconds_per_kilobyte(self) -> float:
        """All seconds divided by all kilobytes; 0 if all pages are empty."""
        size = sum(page.kilobytes for page in self.pages)
        return sum(page.seconds for page in self.pages) / size if size else 0.0

    @property
    def failures(self) -> dict[Failure, int]:
        """The number of failed pages by reason."""
        return dict(Counter(page.failure for page in self.pages if page.failure))

    @property
    def broke_down(self) -> bool:
        """Whether the method crashed or timed out on every page."""
        return all(page.failure in BREAKDOWNS for page in self.pages)

    @property
    def entry_from_metadata(self) -> bool:
        """Whether the feed entry of any page was made from the page's metadata."""
        return any(page.entry == "metadata" for page in self.pages)


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """All runs of one evaluation, in the order of sets, methods and protocols."""

    version: str  # of forest-crawler
    measures: tuple[str, ...]  # the first is the one to rank by
    runs: tuple[RunResult, ...]
    study: str | None = None

    def to_json(self) -> str:
        """Write everything as one JSON object."""
        made = {"format": FORMAT, **dataclasses.asdict(self)}
        for row, run in zip(made["runs"], self.runs, strict=True):
            row["summary"] = _summary_row(run, self.measures)
        return json.dumps(made, ensure_ascii=False, indent=1)


def load_result(text: str, path: str = "result") -> EvaluationResult:
    """Read what `to_json` wrote; errors name `path`."""
    try:
        made = json.loads(text)
        if made["format"] != FORMAT:
            raise InputError(f"has format {made['format']}, not {FORMAT}; evaluate again", path)
        return EvaluationResult(
            version=made["version"],
            measures=tuple(made["measures"]),
            runs=tuple(_run_from(row) for row in made["runs"]),
            study=made["study"],
        )
    except (ValueError, TypeError, KeyError) as err:
        raise InputError(f"isn't a result of `forest evaluate`: {err!r}", path) from err


def _summary_row(run: RunResult, measures: tuple[str, ...]) -> dict[str, Any]:
    return {
        "pages": len(run.pages),
        "sites": run.sites,
        "failures": run.failures,
        "seconds_per_kilobyte": run.seconds_per_kilobyte,
        "scores": {measure: dataclasses.asdict(run.summarize(measure)) for measure in measures},
    }


def _run_from(row: dict[str, Any]) -> RunResult:
    fields = {name: value for name, value in row.items() if name != "summary"}
    fields["pages"] = tuple(_page_from(page) for page in row["pages"])
    return RunResult(**fields)


def _page_from(row: dict[str, Any]) -> PageResult:
    scores = {measure: Score(**score) for measure, score in row["scores"].items()}
    return PageResult(**{**row, "scores": scores})
