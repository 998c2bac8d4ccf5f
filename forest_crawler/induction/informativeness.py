"""Compute J and U: an element's density of signifiers and its unexpectedness.

Section 3.3 of the paper. I = J · U is the informativeness of an element. `forest` rates portable
patterns by it; the paper's own method rates structural patterns.
"""

from __future__ import annotations

from math import log, sqrt


def signifier_density(x: int, y: int) -> float:
    """Return Jeffrey's density J: the lower end of its 70 % interval (formula 2).

    >>> round(signifier_density(1, 0), 3)
    0.317
    """
    n = x + y
    if n == 0:
        return 0.0
    return max(0.0, (x + 0.5 - sqrt((x + 0.5) * (y + 0.5) / n)) / (n + 1))


def unexpectedness(x: int, y: int, page_x: int, page_y: int) -> float:
    """Return the unexpectedness U of x signifiers and y other terms (formula 3).

    `page_x` and `page_y` are the page's X and Y. The natural logarithm gives the numbers of the
    paper's example, 23 and 6.

    >>> round(unexpectedness(10, 26, 20, 100), 1)
    22.7
    """
    generated = (x + y) * log(page_x + page_y) if x + y else 0.0
    # A zero count adds 0, also if the page's own count is zero and has no logarithm.
    described = (x * log(page_x) if x else 0.0) + (y * log(page_y) if y else 0.0)
    return generated - described
