"""Out-of-memory in libxml2 is distinguished from a fault of the document."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from lxml import etree

from forest_crawler.page.libxml2_memory import check_memory


def lxml_error(kind: int | None) -> etree.LxmlError:
    """Make an error as lxml raises it; its log ends with this type, or is empty."""
    err = etree.LxmlError("parsing has failed")
    last = None if kind is None else SimpleNamespace(type=kind)
    err.error_log = SimpleNamespace(last_error=last)  # type: ignore[assignment]
    return err


def chained(cause: BaseException) -> ValueError:
    err = ValueError("not a feed")
    err.__cause__ = cause
    return err


NO_MEMORY = etree.ErrorTypes.ERR_NO_MEMORY


@pytest.mark.parametrize(
    "err",
    [
        lxml_error(NO_MEMORY),
        chained(lxml_error(NO_MEMORY)),
        chained(chained(lxml_error(NO_MEMORY))),
    ],
    ids=["itself", "its-cause", "the-cause-of-its-cause"],
)
def test_an_error_caused_by_out_of_memory_becomes_a_memory_error(err: Exception) -> None:
    with pytest.raises(MemoryError) as raised:
        check_memory(err)
    assert raised.value.__cause__ is err


@pytest.mark.parametrize(
    "err",
    [
        lxml_error(etree.ErrorTypes.ERR_DOCUMENT_EMPTY),
        lxml_error(None),
        chained(OSError("no such file")),
        ValueError("not from lxml"),
    ],
    ids=["empty-document", "no-log", "other-cause", "no-cause"],
)
def test_other_errors_pass(err: Exception) -> None:
    check_memory(err)
