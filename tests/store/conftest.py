"""A small store in a file, for tests of what may happen to such a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_crawler.store import open_store
from tests.support.store_builders import schedule


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Create a store with two pages."""
    path = tmp_path / "store.db"
    with open_store(f"sqlite:///{path}") as store:
        schedule(store, "ab")
    return path
