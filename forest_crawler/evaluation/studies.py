"""Influence studies: vary one property of a site-level method, keep the others.

These are the Forest paper's figures 5 (sample pages), 6 (signifiers) and 7 (J, U and their
product), and the variants that its section 4 reports. Page-level methods run once, for comparison,
except SigFeed in the study of signifiers.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final, Literal

from forest_crawler.errors import UnknownNameError
from forest_crawler.induction.paper.ranking import Measure


@dataclass(frozen=True, slots=True)
class Setting:
    """What a study fixes for one of its points; `None` keeps the method's default."""

    pages: int | None = None  # max sample pages per site
    signifiers: int | None = None  # max per page
    measure: Measure | None = None
    filters: Literal["none", "anchors", "comments", "both"] | None = None
    types: Literal["tolerant", "exact"] | None = None  # how attribute values are compared
    level: Literal["with", "without"] | None = None  # the factor of R
    frequency: Literal["with", "without"] | None = None  # the factor p of R

    def as_dict(self) -> dict[str, str | int]:
        """Return what is fixed, by name.

        >>> Setting(pages=3).as_dict()
        {'pages': 3}
        """
        return {name: value for name, value in asdict(self).items() if value is not None}


STUDIES: Final[dict[str, tuple[Setting, ...]]] = {
    "pages": tuple(Setting(pages=count) for count in range(1, 11)),
    "signifiers": tuple(Setting(signifiers=count) for count in (1, 2, 3, 4, 5, 7, 10, 15, 20, 30)),
    "measure": (Setting(measure="J"), Setting(measure="U"), Setting(measure="JU")),
    "filters": (
        Setting(filters="none"),
        Setting(filters="anchors"),
        Setting(filters="comments"),
        Setting(filters="both"),
    ),
    "tolerant": (Setting(types="tolerant"), Setting(types="exact")),
    "level": (Setting(level="with"), Setting(level="without")),
    "frequency": (Setting(frequency="with"), Setting(frequency="without")),
}


def get_study(name: str) -> tuple[Setting, ...]:
    """Return the settings of a study, in the order of its figure."""
    if name not in STUDIES:
        raise UnknownNameError("study", name, list(STUDIES))
    return STUDIES[name]
