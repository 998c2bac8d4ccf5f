"""Log a crawl to stderr, as plain lines or as JSON objects."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from forest_crawler.cli._terminal import printable


class JsonFormatter(logging.Formatter):
    """Writes a JSON object per record, in ASCII."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the record's line."""
        row = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info and record.exc_info[1]:
            row["error"] = repr(record.exc_info[1])
        return json.dumps(row, ensure_ascii=True)


class PrintableFormatter(logging.Formatter):
    """Writes lines without the control characters that URLs and titles may contain."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the record's lines."""
        return printable(super().format(record))


def set_up_logging(level: str, *, as_json: bool) -> None:
    """Send the log to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonFormatter()
        if as_json
        else PrintableFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    handler.setLevel(level)
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level)
    # The crawl counts broken responses by reason; Twisted's own log lines on them add nothing.
    logging.getLogger("twisted").setLevel(logging.CRITICAL)
