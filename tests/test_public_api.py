"""The public API: every name imports, by its former path too, and has types that mypy checks."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest

import forest_crawler

ROOT = Path(__file__).parent.parent
CASES = Path(__file__).parent / "typing"

FORMER_PATHS = [
    # former module, name, the module that has it now
    ("pages", "read_pages", "datasets.labelled_pages"),
    ("pages", "LabelledPage", "datasets.labelled_pages"),
    ("bundle", "bundled_sites", "datasets.bundled_sites"),
    ("near_duplicates", "find_duplicates", "text.near_duplicates"),
    ("near_duplicates", "sketch_text", "text.near_duplicates"),
    ("next_pages", "find_next_page", "metadata.next_pages"),
    ("next_pages", "shared_next_pages", "metadata.next_pages"),
    ("content.forms", "write_forms", "article.content.forms"),
    ("extractors.registry", "get_extractor", "extraction.methods.registry"),
    ("extractors.registry", "extractor_names", "extraction.methods.registry"),
    ("extractors.registry", "register", "extraction.methods.registry"),
    ("pipelines.holding", "PageItem", "pipelines.items"),
    ("spiders.addon", "ForestAddon", "fetching.addon"),
]
LASTING_PATHS = [
    ("pipelines.forest", "ForestPipeline"),
    ("extraction", "extract"),
    ("article", "make_article"),
    ("metadata", "read_metadata"),
    ("induction", "explain_induction"),
    ("export", "export_wrappers"),
    ("export.feed", "write_feed"),
    ("evaluation.measures", "bigram_score"),
]


def find(module: str, name: str) -> object:
    return getattr(import_module(f"forest_crawler.{module}"), name)


def test_every_public_name_can_be_imported() -> None:
    assert sorted(set(forest_crawler.__all__)) == sorted(forest_crawler.__all__)
    for name in forest_crawler.__all__:
        assert getattr(forest_crawler, name) is not None
    assert not hasattr(forest_crawler, "no_such_name")


@pytest.mark.parametrize(("former", "name", "module"), FORMER_PATHS)
def test_a_former_path_gives_the_same_object(former: str, name: str, module: str) -> None:
    assert find(former, name) is find(module, name)


@pytest.mark.parametrize(("module", "name"), LASTING_PATHS)
def test_a_path_that_was_public_before_the_rooms_still_is(module: str, name: str) -> None:
    assert callable(find(module, name))
    assert getattr(forest_crawler, name, find(module, name)) is find(module, name)


def test_a_type_checker_accepts_right_uses_and_refuses_each_wrong_one(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    wrong = tmp_path / "wrong_uses.py"
    shutil.copy(CASES / "wrong_uses.txt", wrong)
    found = errors_by_line([CASES / "right_uses.py", wrong])
    marked = re.compile(r"# error: ([a-z-]+)$")
    lines = enumerate(wrong.read_text().splitlines(), 1)
    expected = {(wrong.name, n): m[1] for n, line in lines if (m := marked.search(line))}
    assert found.keys() == expected.keys()
    for line, code in expected.items():
        assert code in found[line], line


def errors_by_line(files: list[Path]) -> dict[tuple[str, int], set[str]]:
    """Check files in one run, with the project's options and cache: that takes seconds."""
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *map(str, files)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = defaultdict(set)
    errors = re.compile(r"^(.*?):(\d+): error: .*\[([a-z-]+)\]$", re.MULTILINE)
    for path, line, code in errors.findall(done.stdout):
        found[Path(path).name, int(line)].add(code)
    return found
