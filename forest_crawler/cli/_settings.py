"""Check what `-s NAME=VALUE` sets, by the type of the setting's default."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from scrapy.settings import Settings, default_settings

from forest_crawler import settings as own_settings
from forest_crawler.errors import InputError
from forest_crawler.setting_names import check_setting_names

_AT_LEAST_ONE = frozenset(
    "CONCURRENT_REQUESTS CONCURRENT_REQUESTS_PER_DOMAIN CONCURRENT_ITEMS DOWNLOAD_TIMEOUT "
    "FOREST_WORKER_MEMORY_MB FOREST_FEED_PAGES FOREST_SITE_PAGES REACTOR_THREADPOOL_MAXSIZE "
    "DNS_TIMEOUT".split()
)
"""Settings with which nothing would ever be fetched or read if they were 0."""

_BOOLEANS = frozenset(["0", "1", "True", "False", "true", "false"])  # what Scrapy accepts


def read_settings(pairs: Sequence[str]) -> dict[str, str]:
    """Split and check settings; raise `InputError`, which names the wrong one."""
    known = _known_settings()
    read = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            raise InputError("isn't a setting; write NAME=VALUE", pair)
        check_setting_names([name])
        if (wrong := _find_fault(name, value, known.get(name))) is not None:
            raise InputError(f"{wrong}, not {value!r}", name)
        read[name] = value
    return read


def _known_settings() -> dict[str, Any]:
    modules: list[ModuleType] = [default_settings, own_settings]
    return {name: value for it in modules for name, value in vars(it).items() if name.isupper()}


def _find_fault(name: str, value: str, default: object) -> str | None:
    """Return what a value should be, if it isn't."""
    if isinstance(default, bool):
        return None if value in _BOOLEANS else "must be 0, 1, True or False"
    if isinstance(default, int | float):
        return _find_number_fault(name, value, is_whole=isinstance(default, int))
    if isinstance(default, dict):
        return _find_json_fault(name, value)
    if name.endswith("LOG_LEVEL"):
        levels = logging.getLevelNamesMapping()
        return None if value in levels else f"must be one of {', '.join(levels)}"
    return None


def _find_number_fault(name: str, value: str, *, is_whole: bool) -> str | None:
    kind = "whole number" if is_whole else "number"
    try:
        number = int(value) if is_whole else float(value)
    except ValueError:
        return f"must be a {kind}"
    if not math.isfinite(number) or abs(number) > 2**53:
        return f"must be a {kind} that can be counted to"
    least = 1 if name in _AT_LEAST_ONE and is_whole else 0
    if "PRIORITY" not in name and (number < least or (name in _AT_LEAST_ONE and number == 0)):
        return f"must be a {kind} of at least {least}" if least else f"must be a {kind} from 0 on"
    return None


def _find_json_fault(name: str, value: str) -> str | None:
    try:
        made: Mapping[str, object] = Settings({name: value}).getdict(name)
        json.dumps(made)
    except (ValueError, TypeError):
        return "must be an object in JSON"
    return None
