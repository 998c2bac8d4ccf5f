"""Distinguish out-of-memory in libxml2 from a fault of the document.

libxml2 reports both as a parse error; `check_memory` re-raises the former as `MemoryError`. In a
worker process, whose memory is limited, it would otherwise look like an empty page or a broken
feed. So every handler of lxml's errors calls it first.
"""

from __future__ import annotations

from typing import Any

from lxml import etree


def check_memory(err: BaseException) -> None:
    """Raise `MemoryError` if the error, or a cause of it, is out-of-memory."""
    cause: BaseException | None = err
    while cause is not None:
        if isinstance(cause, etree.LxmlError) and _is_out_of_memory(cause):
            raise MemoryError from err
        cause = cause.__cause__


def _is_out_of_memory(err: etree.LxmlError) -> bool:
    log: Any = err.error_log  # lxml's stubs do not type its entries
    last = log.last_error  # the one that ended the parse
    return last is not None and last.type == etree.ErrorTypes.ERR_NO_MEMORY
