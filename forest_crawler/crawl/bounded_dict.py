"""`BoundedDict`: a dict that forgets its oldest keys, for what is known per site."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")


class BoundedDict(OrderedDict[_K, _V]):
    """A dict of at most `max_size` keys: a new key beyond it drops the oldest.

    >>> seen = BoundedDict[str, int](2)
    >>> for number, site in enumerate(["a", "b", "a", "c"]):
    ...     seen[site] = number
    >>> dict(seen)
    {'b': 1, 'c': 3}
    """

    def __init__(self, max_size: int) -> None:
        super().__init__()
        self._max_size = max_size

    def __setitem__(self, key: _K, value: _V) -> None:
        super().__setitem__(key, value)
        while len(self) > self._max_size:
            self.popitem(last=False)
