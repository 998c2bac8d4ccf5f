"""Odd feeds of every dialect give the values that were fixed by hand."""

from __future__ import annotations

import pytest

from tests.support.odd_feeds import OddValue, find_value, odd_values, read_odd_feed

VALUES = list(odd_values())


def with_mark(value: OddValue) -> object:
    marks = [known_to_be_wrong(value.wrong)] if value.wrong else []
    return pytest.param(value, id=str(value), marks=marks)


def known_to_be_wrong(reason: str) -> pytest.MarkDecorator:
    """Expect another value, and no other error; a mended one is to lose its reason."""
    return pytest.mark.xfail(reason=reason, strict=True, raises=AssertionError)


@pytest.mark.parametrize("value", [with_mark(value) for value in VALUES])
def test_odd_feed_gives_the_value_that_a_person_reads_in_it(value: OddValue) -> None:
    assert find_value(read_odd_feed(value.feed), value.path) == value.expected


def test_at_most_one_value_in_sixty_is_known_to_be_wrong() -> None:
    assert len({value.feed for value in VALUES}) >= 40
    assert len(VALUES) >= 240
    assert sum(value.wrong is not None for value in VALUES) * 60 <= len(VALUES)
