"""Log a crawl to stderr, as plain lines or as JSON objects."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TextIO

from forest_crawler.cli._messages import hide_logins
from forest_crawler.cli._terminal import printable

PACKAGE = "forest_crawler"


class JsonFormatter(logging.Formatter):
    """Writes a JSON object per record, in ASCII, without the logins in its URLs."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the record's line."""
        row = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": hide_logins(record.getMessage()),
        }
        if record.exc_info and record.exc_info[1]:
            row["error"] = hide_logins(repr(record.exc_info[1]))
        return json.dumps(row, ensure_ascii=True)


class LineFormatter(logging.Formatter):
    """Writes lines for people: the time, what is not usual, and the message.

    Without the control characters that URLs and titles may contain, and the logins in URLs.
    """

    def __init__(self) -> None:
        super().__init__(datefmt="%Y-%m-%d %H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  as logging has it
        """Write the record's first line; other packages are named."""
        name = "" if _is_ours(record) else f"{record.name}: "
        level = "" if record.levelno <= logging.INFO else f"{record.levelname.lower()}: "
        return f"{self.formatTime(record, self.datefmt)} {level}{name}{record.message}"

    def format(self, record: logging.LogRecord) -> str:
        """Write the record's lines."""
        return printable(hide_logins(super().format(record)))


class _StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to whatever stderr is now: a display on the terminal puts itself in its place."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stderr


def set_up_logging(level: str, own_level: str, *, as_json: bool) -> None:
    """Send the log to stderr: of all packages from a level on, and of ours."""
    handler = _StderrHandler()
    handler.setFormatter(JsonFormatter() if as_json else LineFormatter())
    # Scrapy sets the levels of its loggers itself, so the handler has to choose.
    levels = logging.getLevelNamesMapping()
    least, own_least = levels[level], levels[own_level]
    handler.addFilter(lambda record: record.levelno >= (own_least if _is_ours(record) else least))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level)
    logging.getLogger(PACKAGE).setLevel(own_level)
    # The crawl counts broken responses by reason; Twisted's own log lines on them add nothing.
    logging.getLogger("twisted").setLevel(logging.CRITICAL)


def _is_ours(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] == PACKAGE
