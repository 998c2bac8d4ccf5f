"""The status of a store as text metrics, in Prometheus's exposition format 0.0.4."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from forest_crawler.cli._store_status import StoreStatus


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric with one sample, or one per value of its label."""

    name: str
    help: str
    value: float | None = None  # None without samples: no line
    label: str = ""
    samples: Mapping[str, float] = field(default_factory=dict)


def status_metrics(status: StoreStatus) -> list[Metric]:
    """Return the metrics of a store; all are gauges, as pages may be fetched again."""
    today = list(status.articles_per_day.values())[-1]
    age = 0.0 if status.queue_age is None else status.queue_age
    return [
        Metric("forest_sources", "Sources by health.", None, "health", status.sources),
        Metric("forest_sites", "Sites with at least one page.", status.sites),
        Metric("forest_pages", "Pages by state.", None, "state", status.pages),
        Metric("forest_skipped_pages", "Skipped pages.", None, "reason", status.skipped),
        Metric("forest_failed_pages", "Failed pages.", None, "reason", status.failed),
        Metric("forest_postponed_pages", "Postponed pages.", None, "reason", status.postponed),
        Metric("forest_articles", "Archived articles.", status.articles),
        Metric("forest_articles_today", "Articles archived since midnight (UTC).", today),
        Metric("forest_wrappers", "Wrappers in use.", None, "confidence", status.wrappers),
        Metric("forest_drifted_sites", "Sites with drifted wrappers.", len(status.drifted)),
        Metric("forest_queue_age_seconds", "Age of the oldest page to fetch; 0 if none.", age),
        Metric(
            "forest_last_run_start_time_seconds",
            "When the last run began, in seconds since the epoch.",
            status.last_run_started,
        ),
    ]


def write_metrics(metrics: Iterable[Metric]) -> str:
    r"""Write metrics as text.

    >>> print(write_metrics([Metric("a", "Back\\slash.", None, "b", {'say "x"': 2})]), end="")
    # HELP a Back\\slash.
    # TYPE a gauge
    a{b="say \"x\""} 2
    """
    return "".join(f"{line}\n" for metric in metrics for line in _lines(metric))


def _lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {_escape(metric.help)}"
    yield f"# TYPE {metric.name} gauge"
    if metric.value is not None:
        yield f"{metric.name} {metric.value}"
    for name, value in metric.samples.items():
        quoted = _escape(name).replace('"', '\\"')
        yield f'{metric.name}{{{metric.label}="{quoted}"}} {value}'


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")
