"""`NodeSets`: the nodes that locators select, as sets of bits.

Induction tries hundreds of locators on a merged tree of a few thousand nodes. Most differ from
another one in a single step, so each step is derived once, and a locator costs an intersection.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from forest_crawler.wrapper.element_names import NamedElements
from forest_crawler.wrapper.locators import Locator, Step, Test

Bits: TypeAlias = int
"""A set of nodes: bit n is node n."""


class NodeSets(NamedElements):
    """Nodes with their names, and the sets of them that locators select."""

    def __init__(
        self,
        parents: Sequence[int],
        ends: Sequence[int],
        tags: Sequence[str],
        tests: Sequence[Sequence[Test]],
    ) -> None:
        super().__init__(parents, ends, tags, tests)
        self._above = np.array(parents, dtype=np.int64)
        self._steps: dict[Step, Bits] = {}
        self._holders: dict[str, Bits] = {}
        self._below: dict[Bits, Bits] = {0: 0}
        self._children: dict[tuple[Bits, str], Bits] = {}
        self._outermost: dict[Bits, tuple[int, ...]] = {0: ()}

    def select(self, locator: Locator) -> Bits:
        """Return the nodes that a locator selects."""
        found = self._named(locator[0])
        for step in locator[1:]:
            if step.axis == "//":
                found = self._find_below(found) & self._named(step)
            else:
                found = self._find_children(found, step.tag)
                if step.tests:
                    found &= self._named(step)
        return found

    def nodes(self, bits: Bits) -> list[int]:
        """Return the nodes of a set, in document order."""
        found: list[int] = self._nodes(bits).tolist()
        return found

    def keep_outermost(self, bits: Bits) -> tuple[int, ...]:
        """Return the nodes of a set that aren't below another one, in document order."""
        found = self._outermost.get(bits)
        if found is None:
            kept, end = [], -1
            for node in self.nodes(bits):
                if node >= end:
                    kept.append(node)
                    end = self.ends[node]
            found = self._outermost[bits] = tuple(kept)
        return found

    def _named(self, step: Step) -> Bits:
        """Return the nodes with a step's tag that pass its tests."""
        found = self._steps.get(step)
        if found is None:
            found = self._bits(self.indices.get(step.tag, step.tests[0] if step.tests else None))
            for test in step.tests[1:]:
                found &= self._bits(self.indices.get(step.tag, test))
            self._steps[step] = found
        return found

    def _find_below(self, above: Bits) -> Bits:
        """Return the descendants of nodes; those of one are a range."""
        found = self._below.get(above)
        if found is None:
            marked = np.zeros(len(self.ends), dtype=np.bool_)
            for node in self.keep_outermost(above):
                marked[node + 1 : self.ends[node]] = True
            found = self._below[above] = _pack(marked)
        return found

    def _find_children(self, above: Bits, tag: str) -> Bits:
        """Return the children of nodes that have a tag."""
        holders = self._holders.get(tag)
        if holders is None:
            parents = self._above[np.asarray(self.indices.get(tag, None), dtype=np.int64)]
            holders = self._holders[tag] = self._bits(parents[parents >= 0])
        above &= holders
        if not above:
            return 0
        found = self._children.get((above, tag))
        if found is None:
            children = np.asarray(self.indices.get(tag, None), dtype=np.int64)
            is_above = np.zeros(len(self.ends) + 1, dtype=np.bool_)  # the last one for roots
            is_above[self._nodes(above)] = True
            found = self._bits(children[is_above[self._above[children]]])
            self._children[above, tag] = found
        return found

    def _bits(self, nodes: Sequence[int] | NDArray[np.int64]) -> Bits:
        marked = np.zeros(len(self.ends), dtype=np.bool_)
        marked[np.asarray(nodes, dtype=np.int64)] = True
        return _pack(marked)

    def _nodes(self, bits: Bits) -> NDArray[np.int64]:
        raw = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
        return np.flatnonzero(np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little"))


def _pack(marked: NDArray[np.bool_]) -> Bits:
    return int.from_bytes(np.packbits(marked, bitorder="little").tobytes(), "little")
