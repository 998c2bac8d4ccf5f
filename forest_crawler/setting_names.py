"""Names of our settings: a misspelled one is an error, not a setting that does nothing."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from forest_crawler import settings as own_settings
from forest_crawler.errors import InputError

PREFIX = "FOREST_"


def check_setting_names(names: Iterable[str]) -> None:
    """Raise `InputError` for a name that begins like ours, but isn't one.

    >>> check_setting_names(["FOREST_STORE", "LOG_LEVEL"])
    >>> check_setting_names(["FOREST_STOER"])
    Traceback (most recent call last):
    forest_crawler.errors.InputError: FOREST_STOER: no such setting (did you mean FOREST_STORE?)
    """
    known = sorted(name for name in vars(own_settings) if name.startswith(PREFIX))
    for name in names:
        if name.startswith(PREFIX) and name not in known:
            close = get_close_matches(name, known, n=1)
            meant = f" (did you mean {close[0]}?)" if close else f"; ours are {', '.join(known)}"
            raise InputError(f"no such setting{meant}", name)
