"""Draw influence studies: F1 by a count (figures 5, 6), or by choice (figure 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from forest_crawler.evaluation.report.charts import (
    MIDDLE,
    Row,
    format_share,
    format_tick,
    legend,
    row_chart,
    swatch,
)
from forest_crawler.evaluation.report.markup import element, percent
from forest_crawler.evaluation.report.runs import group_by_method, name_value
from forest_crawler.evaluation.report.scale import Scale, scale_counts, scale_shares
from forest_crawler.evaluation.results import RunResult
from forest_crawler.evaluation.tables import SETTING_TITLES
from forest_crawler.page.xpath import Element

COLOURS: Final = 8
"""Colours of the style sheet; further lines repeat them, dashed."""

CURVE_HEIGHT: Final = 300

FIGURES: Final = {"precision": "P", "recall": "R", "f1": "F1"}


def influence_charts(runs: Sequence[RunResult], measure: str) -> Iterator[tuple[str, Element]]:
    """Draw every setting that the runs vary; yield its title and chart.

    Runs without the setting are horizontal lines, for comparison.
    """
    for name in dict.fromkeys(name for run in runs for name in run.setting):
        values = [run.setting[name] for run in runs if name in run.setting]
        if all(isinstance(value, int) for value in values):
            yield SETTING_TITLES.get(name, name), curve_chart(runs, name, measure)
        else:
            varied = [run for run in runs if name in run.setting]
            yield SETTING_TITLES.get(name, name), choice_chart(varied, name, measure)


def curve_chart(runs: Sequence[RunResult], setting: str, measure: str) -> Element:
    """Draw F1 against a count, with a line per method."""
    drawn = [run for run in runs if setting in run.setting or not run.setting]
    curves = {
        method: {run.setting.get(setting): run.summarize(measure).f1 for run in group}
        for method, group in group_by_method(drawn).items()
    }
    across = scale_counts(int(x) for points in curves.values() for x in points if x is not None)
    up = scale_shares(y for points in curves.values() for y in points.values())
    plot = element("svg", height=CURVE_HEIGHT, role="img", class_="curves")
    plot.append(element("title", f"F1 by {SETTING_TITLES.get(setting, setting)}"))
    plot.extend(_frame(across, up))
    for i, (method, points) in enumerate(curves.items()):
        plot.append(_curve(method, points, across, up, _line_class(i)))
    return element(
        "figure",
        element("p", "F1, per cent", class_="axis-title"),
        element("div", plot, class_="plot"),
        element("p", SETTING_TITLES.get(setting, setting), class_="axis-title across"),
        legend(
            (method, _line_swatch(i, "level" if None in points else "curve"))
            for i, (method, points) in enumerate(curves.items())
        ),
        class_="wide",
    )


def choice_chart(runs: Sequence[RunResult], setting: str, measure: str) -> Element:
    """Draw precision, recall and F1 of each method under every choice."""
    choices = list(dict.fromkeys(run.setting[setting] for run in runs))
    groups = {
        method: {run.setting[setting]: run.summarize(measure) for run in group}
        for method, group in group_by_method(runs).items()
    }
    tables = {
        f"{title} · {method}": {choice: getattr(s, figure) for choice, s in summaries.items()}
        for method, summaries in groups.items()
        for figure, title in FIGURES.items()
    }
    scale = scale_shares(share for shares in tables.values() for share in shares.values())
    rows = (_choice_row(label, shares, choices, scale) for label, shares in tables.items())
    chart = row_chart(rows, scale, [format_tick(tick) for tick in scale.ticks])
    marks = (swatch(_mark(i, "12", 8), kind="choices") for i in range(len(choices)))
    names = map(name_value, choices)
    note = element("p", "Means over the pages; the number is the best of them.", class_="note")
    return element("figure", legend(zip(names, marks, strict=True)), chart, note)


def _frame(across: Scale, up: Scale) -> Iterator[Element]:
    for tick in up.ticks:
        y = percent(1 - up.position(tick))
        yield element("line", x1="0%", x2="100%", y1=y, y2=y, class_="grid")
        yield element("text", format_tick(tick), x=-8, y=y, dy="0.35em", text_anchor="end")
    for tick in across.ticks:
        x = percent(across.position(tick))
        yield element("text", f"{tick:g}", x=x, y="100%", dy=20, text_anchor="middle")


def _curve(
    method: str,
    points: Mapping[str | int | None, float],
    across: Scale,
    up: Scale,
    kind: str,
) -> Element:
    """Draw a line through a method's points; horizontal if the setting doesn't apply."""
    if None in points:
        y = percent(1 - up.position(points[None]))
        title = element("title", f"{method}: {format_share(points[None])}")
        level = element("line", x1="0%", x2="100%", y1=y, y2=y, class_="level")
        return element("g", title, level, class_=kind)
    values = sorted((int(x), share) for x, share in points.items() if x is not None)
    corners = [(across.position(x), 1 - up.position(share)) for x, share in values]
    group = element("g", _stretched_line(corners), class_=kind)
    for (x, share), (left, top) in zip(values, corners, strict=True):
        title = element("title", f"{method}, {x}: {format_share(share)}")
        point = element("circle", title, cx=percent(left), cy=percent(top), r=4, class_="point")
        group.append(point)
    return group


def _stretched_line(corners: Sequence[tuple[float, float]]) -> Element:
    """Draw a line in a nested drawing, because only a drawing stretches to the width."""
    points = " ".join(f"{1000 * x:.1f},{1000 * y:.1f}" for x, y in corners)
    line = element("polyline", points=points, class_="curve")
    return element(
        "svg",
        line,
        viewBox="0 0 1000 1000",
        preserveAspectRatio="none",
        width="100%",
        height="100%",
    )


def _line_class(i: int) -> str:
    return f"line{i % COLOURS}" + (" dashed" if i >= COLOURS else "")


def _line_swatch(i: int, kind: str) -> Element:
    line = element("line", x1=1, x2=23, y1=8, y2=8, class_=kind)
    return swatch(line, kind=_line_class(i))


def _choice_row(
    label: str, shares: Mapping[str | int, float], choices: Sequence[str | int], scale: Scale
) -> Row:
    values = ((name_value(choice), format_share(share)) for choice, share in shares.items())
    return Row(
        label=label,
        value=format_share(max(shares.values())),
        description=", ".join(" ".join(pair) for pair in values),
        shapes=tuple(
            _mark(choices.index(choice), percent(scale.position(share)), MIDDLE)
            for choice, share in shares.items()
        ),
        kind="choices",
    )


def _mark(i: int, x: str, y: float) -> Element:
    """Draw a choice's mark: choices differ in shape as well as in colour."""
    kind = f"point line{i % COLOURS}"
    if i % 3 == 0:
        return element("circle", cx=x, cy=y, r=5, class_=kind)
    nested = element("svg", x=x, y=y, overflow="visible", width=1, height=1)
    if i % 3 == 1:
        nested.append(element("rect", x=-5, y=-5, width=10, height=10, class_=kind))
    else:
        nested.append(element("path", d="M0,-7 L7,0 L0,7 L-7,0 Z", class_=kind))
    return nested
