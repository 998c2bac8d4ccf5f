"""`Kept`: values by URL, each for some seconds."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Generic, TypeVar

_V = TypeVar("_V")


class Kept(Generic[_V]):
    """Values by URL, each for some seconds; the oldest go when there are too many."""

    def __init__(self, size: int) -> None:
        self._values: OrderedDict[str, tuple[float, _V]] = OrderedDict()
        self._size = size

    def __contains__(self, url: str) -> bool:
        found = self._values.get(url)
        return found is not None and found[0] > time.monotonic()

    def __getitem__(self, url: str) -> _V:
        return self._values[url][1]

    def get(self, url: str) -> _V | None:
        """Return the value, if its time isn't over."""
        found = self._values.get(url)
        return found[1] if found is not None and found[0] > time.monotonic() else None

    def keep(self, url: str, value: _V, seconds: float) -> None:
        """Keep a value for some seconds."""
        self._values.pop(url, None)
        self._values[url] = (time.monotonic() + seconds, value)
        while len(self._values) > self._size:
            self._values.popitem(last=False)
