"""A registry finds objects by name in the modules of a package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from forest_crawler.errors import UnknownNameError
from forest_crawler.registry import Registry


@pytest.fixture
def shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[int]:
    """A package with two modules, each of which registers its shape."""
    package = tmp_path / "drawn_shapes"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from forest_crawler.registry import Registry\n"
        "corners: Registry[int] = Registry('shape', 'drawn_shapes')\n"
    )
    for name, corners in (("square", 4), ("triangle", 3)):
        (package / f"{name}.py").write_text(
            f"from drawn_shapes import corners\ncorners.add({name!r}, {corners})\n"
        )
    monkeypatch.syspath_prepend(str(tmp_path))
    for module in ("drawn_shapes", "drawn_shapes.square", "drawn_shapes.triangle"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    import drawn_shapes  # type: ignore[import-not-found]  # written just now

    registry: Registry[int] = drawn_shapes.corners
    return registry


def test_modules_are_imported_at_the_first_look_up(shapes: Registry[int]) -> None:
    assert dict(shapes) == {}
    assert shapes.find("triangle") == 3
    assert shapes.names() == ["square", "triangle"]


def test_an_unknown_name_is_refused_with_the_known_ones(shapes: Registry[int]) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown shape 'circle'; known: square, triangle"):
        shapes.find("circle")


def test_a_name_is_registered_once(shapes: Registry[int]) -> None:
    shapes.names()
    with pytest.raises(ValueError, match="two shapes are named 'square'"):
        shapes.add("square", 5)
