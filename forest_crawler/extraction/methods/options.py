"""Options of page-level methods: fields of an extractor that a caller may set by name.

An extractor is a frozen dataclass; a field made by `option` is an option, with the paper's value as
its default. `forest page --option NAME=VALUE` sets it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import TypeVar

from forest_crawler.errors import OptionError
from forest_crawler.extraction.methods.registry import AnyExtractor

_Number = TypeVar("_Number", int, float)
_Extractor = TypeVar("_Extractor", bound=AnyExtractor)
_KEY = "forest_option"


@dataclasses.dataclass(frozen=True, slots=True)
class Option:
    """A number that a caller may set."""

    name: str
    value: int | float
    minimum: int
    meaning: str

    def __str__(self) -> str:
        kind = "integer" if isinstance(self.value, int) else "number"
        return f"{self.name} ({self.meaning}; {kind} >= {self.minimum}, default {self.value})"


def option(default: _Number, minimum: int, meaning: str) -> _Number:
    """Make a dataclass field an option; the type of the default is the option's."""
    return dataclasses.field(default=default, metadata={_KEY: (minimum, meaning)})


def list_options(extractor: AnyExtractor) -> list[Option]:
    """List an extractor's options; empty if it has none."""
    if not dataclasses.is_dataclass(extractor):
        return []
    return [
        Option(field.name, getattr(extractor, field.name), *field.metadata[_KEY])
        for field in dataclasses.fields(extractor)
        if _KEY in field.metadata
    ]


def set_options(name: str, extractor: _Extractor, settings: Iterable[str]) -> _Extractor:
    """Return a copy of the extractor `name` with options set, each as `NAME=VALUE`.

    Raises `OptionError`, which lists the extractor's options.
    """
    options = {option.name: option for option in list_options(extractor)}
    values: dict[str, int | float] = {}
    for setting in settings:
        key, _, text = (part.strip() for part in setting.partition("="))
        if key not in options:
            raise OptionError(f"no option {key!r}", name, list(map(str, options.values())))
        values[key] = _read_value(options[key], text, name)
    if not values:
        return extractor
    return dataclasses.replace(extractor, **values)  # type: ignore[type-var]


def _read_value(option: Option, text: str, name: str) -> int | float:
    try:
        value = type(option.value)(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < option.minimum:
        raise OptionError(f"option {option.name} cannot be {text!r}", name, [str(option)])
    return value
