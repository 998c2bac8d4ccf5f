"""`Explanation`: a page's nodes with the figures by which a method chose among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Figure: TypeAlias = int | float | str | None
"""A figure of a node; None if the method computes none for this node."""


@dataclass(frozen=True, slots=True)
class ExplainedNode:
    """A node, whether it is selected, and its figures in the order of the columns."""

    number: int  # as in `Outline.document_order`
    is_chosen: bool
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a reader needs to check a method's choice by hand.

    `outcome` says what was chosen by which figures of the whole page, such as a threshold; `legend`
    says what the columns are. Nodes come in the order in which the method prefers them.
    """

    outcome: str
    legend: str
    columns: tuple[str, ...]
    nodes: list[ExplainedNode]
