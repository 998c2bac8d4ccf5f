"""Another installed package adds page-level methods by entry points."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main
from forest_crawler.errors import PluginError, UnknownNameError
from forest_crawler.extraction.methods import registry
from forest_crawler.extraction.methods.registry import Extractor, extractor_names, get_extractor
from forest_crawler.page.tree import parse_page

METHODS = """
from forest_crawler.page.selection import select_elements

class FirstParagraph:
    def extract(self, tree):
        return select_elements(tree, [e for e in tree.outline.elements if e.tag == "p"][:1])

ready_made = FirstParagraph()
no_method = "first paragraph"
"""
ENTRY_POINTS = """
[forest_crawler.extractors]
installed-class = installed_methods:FirstParagraph
installed-object = installed_methods:ready_made
installed-nothing = installed_methods:no_method
installed-missing = installed_methods:not_there
installed-broken = broken_methods:anything
plain = installed_methods:no_method
"""
PAGE = "<p>The ferry sails.<p>It is late."


@pytest.fixture(autouse=True)
def _distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A distribution on `sys.path`, as pip would have installed it."""
    files = {
        "installed_methods.py": METHODS,
        "broken_methods.py": "raise OSError('model.bin:\\n no such file')",
        "my_methods-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: my-methods\n",
        "my_methods-1.0.dist-info/entry_points.txt": ENTRY_POINTS,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in [name for name in registry._registered if name.startswith("installed-")]:
        del registry._registered[name]


@pytest.mark.parametrize("name", ["installed-class", "installed-object"])
def test_an_installed_method_is_found_by_its_name(name: str) -> None:
    extractor = get_extractor(name)
    assert isinstance(extractor, Extractor)
    assert extractor.extract(parse_page(PAGE)).text == "The ferry sails."
    assert get_extractor(name) is extractor


def test_all_names_are_listed_and_nothing_is_imported_for_that() -> None:
    assert {"installed-class", "installed-broken", "bte"} <= set(extractor_names())
    with pytest.raises(UnknownNameError, match=r"bte.*installed-object"):
        get_extractor("no-such-method")


def test_a_name_of_our_own_stays_our_own() -> None:
    extractor = get_extractor("plain")
    assert isinstance(extractor, Extractor)
    assert extractor.extract(parse_page(PAGE)).text == "The ferry sails.\nIt is late."


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("installed-broken", "cannot be loaded: OSError: model.bin: no such file"),
        ("installed-missing", "cannot be loaded: AttributeError"),
        ("installed-nothing", "has neither extract(tree) nor extract_with(tree, entry)"),
    ],
)
def test_a_broken_method_is_reported_in_one_line(name: str, reason: str) -> None:
    with pytest.raises(PluginError) as caught:
        get_extractor(name)
    assert f"method {name!r} of the installed package my-methods: " in str(caught.value)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_commands_use_installed_methods_and_report_broken_ones(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE)
    good = CliRunner().invoke(main, ["page", "--method", "installed-class", str(page)])
    assert (good.exit_code, good.stdout) == (0, "The ferry sails.\n")
    broken = CliRunner().invoke(main, ["page", "--method", "installed-broken", str(page)])
    assert (broken.exit_code, len(broken.stderr.splitlines())) == (2, 1)
