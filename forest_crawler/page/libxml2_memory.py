"""Memory that libxml2 was refused: it tells of that as of any fault of a document.

In a worker process, whose memory has a limit, it would pass for a page that is empty or a feed that
is none. So whoever catches what lxml raises asks here first.
"""

from __future__ import annotations

from typing import Any

from lxml import etree


def check_memory(err: BaseException) -> None:
    """Raise `MemoryError` where an error is, or comes of, a lack of memory in libxml2."""
    cause: BaseException | None = err
    while cause is not None:
        if isinstance(cause, etree.LxmlError) and _lacks_memory(cause):
            raise MemoryError from err
        cause = cause.__cause__


def _lacks_memory(err: etree.LxmlError) -> bool:
    log: Any = err.error_log  # lxml's stubs do not say what is in it
    last = log.last_error  # what ended the work
    return last is not None and last.type == etree.ErrorTypes.ERR_NO_MEMORY
