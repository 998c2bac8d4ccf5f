"""Pause Python's garbage collector while many objects are made that all stay alive."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Collect no cyclic garbage inside; reference counts release memory as ever.

    An induction makes some ten thousand objects per page and keeps most of them to its end:
    visiting them again and again takes a twentieth of its time, and finds nothing.

    >>> with paused_collector():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
