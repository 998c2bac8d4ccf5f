"""The options that limit a crawl to some pages and articles."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, TypeVar

import click

from forest_crawler.cli._value_types import Day, Language

_F = TypeVar("_F", bound=Callable[..., Any])
_DAY = Day()


class Pattern(click.types.StringParamType):
    """A regular expression."""

    name = "regex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the pattern; fail with a message that names it."""
        text = str(value)
        try:
            re.compile(text)
        except (re.error, RecursionError, OverflowError) as err:
            self.fail(f"{text!r} isn't a regular expression: {err}", param, ctx)
        if not text:
            self.fail("the pattern is empty, so every URL has it", param, ctx)
        return text


_OPTIONS = (
    click.option("--since", type=_DAY, metavar="DAY", help="Only articles of this day or later."),
    click.option("--until", type=_DAY, metavar="DAY", help="Only articles of this day or earlier."),
    click.option(
        "--lang",
        "languages",
        type=Language(),
        multiple=True,
        metavar="CODE",
        help="Only articles in this language, as `en`, which includes `en-GB`; repeatable.",
    ),
    click.option(
        "--match",
        type=Pattern(),
        metavar="REGEX",
        help="Fetch only pages whose URL has a match of this regular expression.",
    ),
    click.option(
        "--reject",
        type=Pattern(),
        metavar="REGEX",
        help="Don't fetch pages whose URL has a match of this regular expression.",
    ),
)


def scope_options(function: _F) -> _F:
    """Add the options to a command."""
    return reduce(lambda command, option: option(command), reversed(_OPTIONS), function)


def scope_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that the options stand for."""
    since, until = options["since"], options["until"]
    return {
        "FOREST_SINCE": since.date().isoformat() if since else None,
        "FOREST_UNTIL": until.date().isoformat() if until else None,
        "FOREST_LANGUAGES": list(options["languages"]),
        "FOREST_MATCH": options["match"],
        "FOREST_REJECT": options["reject"],
    }
