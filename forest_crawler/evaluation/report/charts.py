"""Draw charts with a row per method: box charts of F1, and times.

A row has a label, a drawing and a number. The drawings are SVG with positions in per cent, so they
fill the available width while lines and letters keep their size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from forest_crawler.evaluation.report.markup import element, percent
from forest_crawler.evaluation.report.runs import name_run
from forest_crawler.evaluation.report.scale import Scale, scale_shares, scale_times
from forest_crawler.evaluation.results import RunResult
from forest_crawler.evaluation.summary import Summary
from forest_crawler.page.xpath import Element

ROW_HEIGHT: Final = 28
MIDDLE: Final = ROW_HEIGHT / 2
BOX_HEIGHT: Final = 14
WHISKER_HEIGHT: Final = 8


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a chart."""

    label: str
    value: str  # the number at its end
    description: str  # the drawing in words, as tooltip and for screen readers
    shapes: tuple[Element, ...]
    kind: str = "page"  # a class of the style sheet: its colour


def box_chart(runs: Sequence[RunResult], measure: str) -> Element:
    """Draw F1 as figure 4 of the Forest paper does; a dot is the mean."""
    summaries = [run.summarize(measure) for run in runs]
    scale = scale_shares(v for s in summaries for v in (s.percentile9, s.percentile91, s.f1))
    rows = (
        Row(
            label=name_run(run),
            value=format_share(summary.f1),
            description=_describe_box(summary),
            shapes=tuple(_box(summary, scale)),
            kind=run.protocol,
        )
        for run, summary in zip(runs, summaries, strict=True)
    )
    return row_chart(rows, scale, [format_tick(tick) for tick in scale.ticks])


def time_chart(times: Sequence[tuple[RunResult, float]]) -> Element:
    """Draw milliseconds per kilobyte, on an axis of powers of ten."""
    scale = scale_times(milliseconds for _, milliseconds in times)
    rows = (
        Row(
            label=name_run(run),
            value=format_time(milliseconds),
            description=f"{format_time(milliseconds)} ms/kB",
            shapes=tuple(_stalk(milliseconds, scale)),
            kind=run.protocol,
        )
        for run, milliseconds in times
    )
    return row_chart(rows, scale, [f"{tick:g}" for tick in scale.ticks])


def row_chart(rows: Iterable[Row], scale: Scale, names: Sequence[str]) -> Element:
    """Draw rows above a common axis."""
    chart = element("div", class_="chart")
    for row in rows:
        title = element("title", f"{row.label}: {row.description}")
        shapes = (title, *_grid(scale), *row.shapes)
        chart.append(element("div", row.label, class_="label", title=row.label))
        chart.append(
            element("svg", *shapes, height=ROW_HEIGHT, role="img", class_=f"row {row.kind}")
        )
        chart.append(element("div", row.value, class_="value"))
    chart.append(element("svg", *_axis(scale, names), height=20, class_="row axis"))
    return chart


def legend(entries: Iterable[tuple[str, Element]]) -> Element:
    """Make a legend: small drawings with their names."""
    items = (element("li", drawing, name) for name, drawing in entries)
    return element("ul", *items, class_="legend")


def swatch(*shapes: Element, kind: str) -> Element:
    """Make a small drawing for a legend."""
    return element("svg", *shapes, width=24, height=16, class_=kind, aria_hidden="true")


def format_share(share: float) -> str:
    """Format a score in per cent.

    >>> format_share(0.94949)
    '94.9'
    """
    return f"{100 * share:.1f}"


def format_tick(share: float) -> str:
    """Format a score for an axis.

    >>> format_tick(0.95)
    '95'
    """
    return f"{100 * share:.0f}"


def format_time(milliseconds: float) -> str:
    """Format a time with two significant digits.

    >>> format_time(0.01234), format_time(0.9), format_time(15.2), format_time(123.4)
    ('0.012', '0.90', '15', '123')
    """
    return f"{milliseconds:#.2g}".rstrip(".") if milliseconds < 99.5 else f"{milliseconds:.0f}"


def _grid(scale: Scale) -> Iterator[Element]:
    for tick in scale.ticks:
        x = scale.position(tick)
        yield _line(x, x, 0, ROW_HEIGHT, "grid")


def _axis(scale: Scale, names: Sequence[str]) -> Iterator[Element]:
    for tick, name in zip(scale.ticks, names, strict=True):
        yield element("text", name, x=percent(scale.position(tick)), y=14, text_anchor="middle")


def _describe_box(summary: Summary) -> str:
    parts = {
        "mean F1": summary.f1,
        "9th percentile": summary.percentile9,
        "first quartile": summary.quartile1,
        "median": summary.median,
        "third quartile": summary.quartile3,
        "91st percentile": summary.percentile91,
    }
    return ", ".join(f"{name} {format_share(share)}" for name, share in parts.items())


def _box(summary: Summary, scale: Scale) -> Iterator[Element]:
    low, high = scale.position(summary.percentile9), scale.position(summary.percentile91)
    first, third = scale.position(summary.quartile1), scale.position(summary.quartile3)
    median, mean = scale.position(summary.median), scale.position(summary.f1)
    top, cap = MIDDLE - BOX_HEIGHT / 2, MIDDLE - WHISKER_HEIGHT / 2
    yield _line(low, high, MIDDLE, MIDDLE, "whisker")
    yield _line(low, low, cap, cap + WHISKER_HEIGHT, "whisker")
    yield _line(high, high, cap, cap + WHISKER_HEIGHT, "whisker")
    yield element(
        "rect",
        x=percent(first),
        y=top,
        width=percent(third - first),
        height=BOX_HEIGHT,
        class_="box",
    )
    yield _line(median, median, top, top + BOX_HEIGHT, "median")
    yield element("circle", cx=percent(mean), cy=MIDDLE, r=3, class_="mean")


def _stalk(value: float, scale: Scale) -> Iterator[Element]:
    x = scale.position(value)
    yield _line(0, x, MIDDLE, MIDDLE, "stalk")
    yield element("circle", cx=percent(x), cy=MIDDLE, r=5, class_="point")


def _line(x1: float, x2: float, y1: float, y2: float, kind: str) -> Element:
    return element("line", x1=percent(x1), x2=percent(x2), y1=y1, y2=y2, class_=kind)
