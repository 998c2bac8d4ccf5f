"""Types of option values: numbers that can be worked with, files and ports that can exist."""

from __future__ import annotations

import math
import re
from typing import Any
from urllib.parse import urlsplit

import click

from forest_crawler.crawl.polling import MAX_EVERY, MIN_EVERY
from forest_crawler.errors import InputError
from forest_crawler.text.durations import read_duration
from forest_crawler.urls.hosts import site_of

MAX_COUNT = 2**31 - 1
"""The largest number of things: databases and Python's own iterators take no more."""

COUNT = click.IntRange(1, MAX_COUNT)
"""A number of things, at least one."""


class Seconds(click.FloatRange):
    """A time that passes: not negative, not endless, not "nan"."""

    name = "seconds"

    def __init__(self, *, above_zero: bool = False) -> None:
        super().__init__(min=0, min_open=above_zero)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read the number; fail with a message that names the value."""
        if not math.isfinite(number := float(click.FLOAT.convert(value, param, ctx))):
            self.fail(f"{value!r} isn't a number of seconds", param, ctx)
        return float(super().convert(number, param, ctx))


class Interval(click.types.StringParamType):
    """The time between two polls, as `90s`, `5m`, `2h` or `1d`; its value is in seconds."""

    name = "duration"

    def convert(  # type: ignore[override]
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read the duration; fail with a message that names it."""
        try:
            seconds = read_duration(str(value))
        except ValueError as err:
            self.fail(str(err), param, ctx)
        if seconds < MIN_EVERY:
            self.fail(f"{value} is too often for a feed's server; give 1m or more", param, ctx)
        if seconds > MAX_EVERY:
            self.fail(f"{value} is too rarely; give 7d or less", param, ctx)
        return seconds


class _OutputPath(click.Path):
    """A path to write to."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the name; fail with a message that names it."""
        if not str(value).strip():
            self.fail(f"the name of a {self.name} is missing", param, ctx)
        if "\0" in str(value):
            self.fail("a name cannot contain NUL", param, ctx)
        return str(super().convert(value, param, ctx))


class ArchivePath(_OutputPath):
    """A file or directory to write; `-` is stdout."""

    def __init__(self) -> None:
        super().__init__(allow_dash=True)


class OutputFile(_OutputPath):
    """A file to write; `-` is stdout unless the file is one that later runs continue."""

    def __init__(self, *, stdout: bool) -> None:
        super().__init__(dir_okay=False, allow_dash=stdout)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the name; fail with a message that names it."""
        if value == "-" and not self.allow_dash:
            self.fail("a later run continues this file, so it can't be stdout", param, ctx)
        return super().convert(value, param, ctx)


class OutputDirectory(_OutputPath):
    """A directory to write to, which is made if it doesn't exist."""

    def __init__(self) -> None:
        super().__init__(file_okay=False)


class BodyFolder(OutputDirectory):
    """Where bodies of pages are kept: a directory, or an address as `s3://…`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the name; fail with a message that names it."""
        from forest_crawler.store.file_systems import is_address  # loads the store

        return str(value) if is_address(str(value)) else super().convert(value, param, ctx)


class InputFile(click.Path):
    """A file to read."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, readable=True)


class Proxy(click.types.StringParamType):
    """The URL of an HTTP proxy, or `env`."""

    name = "proxy"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the URL; fail with a message that does not show it: it may have a password."""
        from forest_crawler.fetching.proxy_settings import ENVIRONMENT, check_proxy

        if value == ENVIRONMENT:
            return str(value)
        try:
            return check_proxy(str(value))
        except InputError as err:
            self.fail(err.message, param, ctx)


class AcceptLanguage(click.types.StringParamType):
    """The value of an Accept-Language header."""

    name = "languages"
    _RANGE = r"\s*(?:\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)(?:\s*;\s*q=[01](?:\.[0-9]{0,3})?)?\s*"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the header; fail with a message that names it."""
        text = str(value)
        if not all(re.fullmatch(self._RANGE, part) for part in text.split(",")):
            self.fail(f"{text!r} isn't a list of languages, as de-CH,de;q=0.8", param, ctx)
        return text


class Port(click.types.StringParamType):
    """A port, or `any`."""

    name = "port"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the number; fail with a message that names it."""
        text = str(value)
        if text != "any" and not (text.isascii() and text.isdigit() and 0 < int(text) < 2**16):
            self.fail(f"{text!r} isn't a port from 1 to 65535, nor `any`", param, ctx)
        return text


class WebUrl(click.types.StringParamType):
    """An http or https URL."""

    name = "url"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the URL; fail with a message that names it."""
        text = str(value)
        if not re.match(r"https?://", text, re.IGNORECASE) or site_of(text) is None:
            self.fail(f"{text!r} isn't a URL; it begins with https:// or http://", param, ctx)
        return text


class Origin(WebUrl):
    """The origin of web pages: scheme, host and port, as browsers send it."""

    name = "origin"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the origin; fail with a message that names it."""
        text = super().convert(value, param, ctx)
        parts = urlsplit(text)
        if (parts.path, parts.query, parts.fragment) != ("", "", "") or "@" in parts.netloc:
            self.fail(f"{text!r} isn't an origin, as https://reader.example", param, ctx)
        return text


class Day(click.DateTime):
    """A day, as `2026-03-06`."""

    def __init__(self) -> None:
        super().__init__(formats=["%Y-%m-%d"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the day; fail with a message that names the value, and an example."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} isn't a day, as 2026-03-06", param, ctx)


class Language(click.types.StringParamType):
    """The code of a language, as `en` or `pt-BR`."""

    name = "language"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the code; fail with a message that names it."""
        text = str(value)
        if not re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*", text):
            self.fail(f"{text!r} isn't the code of a language, as en or pt-BR", param, ctx)
        return text
