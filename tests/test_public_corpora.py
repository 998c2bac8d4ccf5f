"""The benchmark on public corpora hands the texts of `forest page` to the corpus's own script."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.public_corpora import METHODS, WITHOUT_CAPTIONS, main

TEXT = "The chain ferry carried its first passengers across the narrows on Wednesday morning. "
PAGE = (
    f"<title>Ferry returns</title><h1>Ferry returns</h1><p>{TEXT * 3}</p>"
    "<figure><img src=/pier.jpg><figcaption>The old pier at low tide in autumn.</figcaption>"
    f"</figure><p>{TEXT * 2}</p>"
)
ARTICLES_SCRIPT = """
import json
def load_json(path):
    return json.loads(path.read_text())
def evaluate(gold, found, samples):
    f1 = float(gold["k"]["articleBody"] in found["k"]["articleBody"])
    caption = float("old pier" in found["k"]["articleBody"])
    return {"f1": f1, "f1_std": 0.0, "precision": 1 - caption, "recall": f1}
"""
SNIPPETS_SCRIPT = """
import json
from pathlib import Path
def load_evaldata(folder):
    return json.loads(Path(folder, "evaldata.json").read_text())
def read_corpus(folder, labels):
    files = {url: it["file"] for url, it in labels.items()}
    return {url: (file, Path(folder, file).read_bytes()) for url, file in files.items()}
def count_item(label, text):
    return sum(it in text for it in label["with"]), sum(it in text for it in label["without"])
class ConfusionMatrix:
    def add(self, counts):
        self.counts = counts
    def scores(self):
        return (*self.counts, 0.25, 0.5)
"""


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "k.html.gz").write_bytes(gzip.compress(PAGE.encode()))
    gold = {"k": {"articleBody": TEXT.strip(), "url": "http://gazette.example/ferry"}}
    (tmp_path / "ground-truth.json").write_text(json.dumps(gold))
    (tmp_path / "evaluate.py").write_text(ARTICLES_SCRIPT)
    return tmp_path


@pytest.fixture
def snippets(tmp_path: Path) -> Path:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "ferry.html").write_text(PAGE)
    label = {"file": "ferry.html", "with": [TEXT.strip()], "without": ["old pier"]}
    (tests / "evaldata.json").write_text(json.dumps({"http://gazette.example/ferry": label}))
    (tests / "eval_common.py").write_text(SNIPPETS_SCRIPT)
    return tmp_path


def test_texts_with_and_without_captions_are_scored(
    articles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--articles", str(articles), *METHODS[:2]])
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| forest page | 1.000 ± 0.000 | 0.000 | 1.000 |",
        f"| {WITHOUT_CAPTIONS} | 1.000 ± 0.000 | 1.000 | 1.000 |",
    ]


def test_snippets_are_counted_per_page(snippets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--trafilatura", str(snippets), *METHODS[:2]])
    assert capsys.readouterr().out.splitlines()[2:] == [
        # F1 comes first; the script's first number, here its count of found snippets, is next.
        "| forest page | 0.500 | 1.000 | 1.000 | 0.250 |",
        f"| {WITHOUT_CAPTIONS} | 0.500 | 1.000 | 0.000 | 0.250 |",
    ]


def test_a_folder_without_the_script_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"evaluate\.py is missing: is this a checkout"):
        main(["--articles", str(tmp_path), METHODS[0]])


def test_a_script_that_needs_a_package_is_answered_with_the_extra(tmp_path: Path) -> None:
    (tmp_path / "evaluate.py").write_text("import no_such_package")
    with pytest.raises(SystemExit, match=r"no_such_package.*install the extra `bench`"):
        main(["--articles", str(tmp_path), METHODS[0]])


def test_without_a_checkout_it_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    assert "neither --articles nor --trafilatura" in capsys.readouterr().err
