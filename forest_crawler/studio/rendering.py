"""Templates → pages: the Jinja2 environment, its filters, and answers to requests."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from starlette.requests import Request
from starlette.responses import HTMLResponse

from forest_crawler.crawl.poll_words import describe_status
from forest_crawler.studio.studio import Studio
from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.counts import count
from forest_crawler.text.durations import describe_seconds

SPARK_WIDTH, SPARK_HEIGHT = 120, 24


def studio_of(request: Request) -> Studio:
    """Return the application's shared state."""
    studio: Studio = request.app.state.studio
    return studio


def render(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Answer with a template, without the control characters of what others wrote."""
    studio = studio_of(request)
    shared = {
        "csrf": studio.csrf.value,
        "options": studio.options,
        "path": request.url.path,
        "query": dict(request.query_params),
    }
    text = environment().get_template(template).render(shared | values)
    return HTMLResponse(clean_text(text), status)


def render_error(request: Request, message: str, status: int) -> HTMLResponse:
    """Answer that something cannot be done, and why."""
    return render(request, "error.html", status, message=message, code=status)


@cache
def environment() -> Environment:
    """Return the environment of all templates; every value is escaped."""
    made = Environment(
        loader=PackageLoader("forest_crawler.studio"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "ago": _show_age,
        "day": describe_day,
        "count": lambda number, noun: count(number, noun, ","),
        "number": lambda it: f"{it:,}",
        "percent": lambda it: "–" if it is None else f"{100 * it:.0f} %",
        "figure": describe_figure,
        "spark": spark_path,
        "status": describe_status,
        "query": lambda values: urlencode({k: v for k, v in values.items() if v not in ("", None)}),
    }
    return made


@pass_context
def _show_age(context: Context, moment: float | None) -> str:
    """Write how long ago a moment was; pages that are kept as files name the moment itself."""
    return describe_day(moment) if context["options"].is_static else describe_age(moment)


def describe_figure(number: float | None) -> str:
    """Write a measure with three significant digits.

    >>> describe_figure(0.12345), describe_figure(1234.5), describe_figure(0)
    ('0.123', '1234', '0')
    """
    if number is None:
        return "–"
    return f"{number:.0f}" if abs(number) >= 100 else f"{number:.3g}"


def describe_age(moment: float | None) -> str:
    """Write how long ago a moment was."""
    if moment is None:
        return "–"
    seconds = time.time() - moment
    return (
        f"in {describe_seconds(-seconds)}" if seconds < -1 else f"{describe_seconds(seconds)} ago"
    )


def describe_day(moment: float | None) -> str:
    """Write a moment as day and time, in UTC."""
    if moment is None:
        return "–"
    return datetime.fromtimestamp(moment, tz=UTC).strftime("%Y-%m-%d %H:%M")


def spark_path(days: Sequence[int]) -> str:
    """Write the line of a sparkline as an SVG path.

    >>> spark_path([0, 2, 1])
    'M0,23 L60,1 L120,12'
    """
    top, step = max(*days, 1), SPARK_WIDTH / max(len(days) - 1, 1)
    height = SPARK_HEIGHT - 2
    points = [
        f"{number * step:g},{1 + height - height * count / top:.4g}"
        for number, count in enumerate(days)
    ]
    return "M" + " L".join(points)
