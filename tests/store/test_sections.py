"""The sections of the store are one object: none hides what another one has."""

from __future__ import annotations

from collections import defaultdict

from forest_crawler.store import Store
from forest_crawler.store.section import StoreSection


def find_clashes(store: type) -> dict[str, list[str]]:
    """Return the names that several sections define, or a section and the store."""
    owners: defaultdict[str, list[type]] = defaultdict(list)
    for owner in store.__mro__:
        if issubclass(owner, StoreSection):
            for name in vars(owner):
                if not name.startswith("__"):
                    owners[name].append(owner)
    return {name: [it.__name__ for it in them] for name, them in owners.items() if len(them) > 1}


def test_no_two_sections_have_a_method_of_the_same_name() -> None:
    assert find_clashes(Store) == {}


def test_a_clash_is_found_by_name() -> None:
    class Ferries(StoreSection):
        def count(self) -> int:
            return 1

    class Harbours(StoreSection):
        def count(self) -> int:
            return 2

    class Port(Ferries, Harbours):
        pass

    assert find_clashes(Port) == {"count": ["Ferries", "Harbours"]}
