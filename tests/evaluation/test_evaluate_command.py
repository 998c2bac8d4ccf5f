"""`forest evaluate`: what it writes, and its exit codes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from forest_crawler.cli.main import main
from forest_crawler.evaluation.results import load_result
from forest_crawler.extraction.methods import registry
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import PageTree
from tests.support.waiting import HANG, wait_until


class Crashing:
    def extract(self, tree: PageTree) -> Selection:
        raise ValueError("never works")


class Dozing:
    def extract(self, tree: PageTree) -> Selection:
        if tree.body.find("table") is not None:
            time.sleep(600)
        return Selection(tree)


def forest(*arguments: object, stdin: str | None = None) -> Result:
    command = ["evaluate", "--jobs", "1", *(str(argument) for argument in arguments)]
    return CliRunner().invoke(main, command, input=stdin)


def line(name: str, **fields: object) -> str:
    row = {"id": name, "site": "s", "html": "<p>one two three", "gold": "one two three", **fields}
    return json.dumps(row) + "\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "news.jsonl"
    # The second page's gold has one of the two 2-grams found: F1 = 2/3.
    path.write_text(line("a", kind="forum") + line("b", gold="one two") + line("c", site="t"))
    return path


@pytest.fixture
def package(tmp_path: Path) -> Path:
    path = tmp_path / "gazette"
    path.mkdir()
    (path / "package.json").write_text('{"name": "gazette", "feed": "feed.xml"}')
    (path / "a.html").write_text("<title>Page title</title><p>one two three")
    (path / "a.txt").write_text("Feed title")
    (path / "a.json").write_text('{"url": "http://gazette.example/a"}')
    (path / "feed.xml").write_text(
        "<rss version='2.0'><channel><item><title>Feed title</title>"
        "<link>http://gazette.example/a</link></item></channel></rss>"
    )
    return path


def test_a_table_is_written_to_stdout(data: Path) -> None:
    done = forest("--data", data, "--method", "plain")
    assert done.exit_code == 0
    # mean of 1, 2/3 and 1
    assert done.stdout.splitlines()[1].split()[:8] == (
        "news plain page 3 2 83.3 100.0 88.9".split()
    )
    assert done.stderr == ""


def test_json_output_can_be_loaded_as_a_result(data: Path) -> None:
    done = forest("--data", data, "--method", "plain", "--format", "json", "--measure", "all")
    result = load_result(done.stdout)
    assert result.measures[0] == "bigrams"
    assert len(result.measures) == 11
    assert [page.id for page in result.runs[0].pages] == ["a", "b", "c"]
    assert result.runs[0].pages[0].text is None


def test_texts_are_in_the_json_on_request(data: Path) -> None:
    done = forest("--data", data, "--method", "plain", "--format", "json", "--texts")
    page = load_result(done.stdout).runs[0].pages[1]
    assert (page.text, page.gold) == ("one two three", "one two")


@pytest.mark.parametrize(
    ("form", "beginning"),
    [
        pytest.param("tsv", "set\tmethod\t", id="tsv"),
        pytest.param("markdown", "| set | method |", id="markdown"),
    ],
)
def test_other_formats_are_written_to_the_output_file(
    tmp_path: Path, data: Path, form: str, beginning: str
) -> None:
    output = tmp_path / "deep" / "result"
    done = forest("--data", data, "--method", "plain", "--format", form, "-o", output)
    assert (done.exit_code, done.stdout) == (0, "")
    assert output.read_text().startswith(beginning)


def test_a_test_package_has_its_feed_entries(package: Path) -> None:
    done = forest("--data", package, "--method", "description", "--format", "json")
    (page,) = load_result(done.stdout).runs[0].pages
    assert (page.entry, page.scores["bigrams"].f1) == ("feed", 1)


def test_pages_can_come_from_stdin(data: Path) -> None:
    done = forest("--data", "-", "--method", "plain", stdin=data.read_text())
    assert done.stdout.splitlines()[1].startswith("stdin")


def test_outputs_have_every_text(tmp_path: Path, data: Path) -> None:
    forest("--data", data, "--method", "plain", "--outputs", tmp_path / "out")
    lines = (tmp_path / "out" / "news.plain.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["a", "b", "c"]
    assert json.loads(lines[0])["text"] == "one two three"


def test_sets_and_methods_are_run_in_order(data: Path, package: Path) -> None:
    done = forest(
        *("--data", data, "--data", package, "--method", "plain", "--method", "description"),
        *("--format", "json"),
    )
    runs = load_result(done.stdout).runs
    assert [(run.set, run.method) for run in runs] == [
        ("news", "plain"),
        ("news", "description"),
        ("gazette", "plain"),
        ("gazette", "description"),
    ]


def test_min_pages_and_kind_select_pages(data: Path) -> None:
    few = forest("--data", data, "--method", "plain", "--min-pages", 2, "--format", "json")
    assert [page.id for page in load_result(few.stdout).runs[0].pages] == ["a", "b"]
    forum = forest("--data", data, "--method", "plain", "--kind", "forum", "--format", "json")
    assert [page.id for page in load_result(forum.stdout).runs[0].pages] == ["a"]


def test_only_and_without_select_pages_by_their_flags(data: Path) -> None:
    data.write_text(line("a", fragmented=True) + line("b", multiple=True) + line("c"))
    arguments = ("--data", data, "--method", "plain", "--format", "json")
    (only,) = load_result(forest(*arguments, "--only", "fragmented").stdout).runs[0].pages
    assert (only.id, only.fragmented, only.multiple) == ("a", True, None)
    rest = load_result(forest(*arguments, "--without", "multiple").stdout).runs[0].pages
    assert [page.id for page in rest] == ["a", "c"]


def test_labelled_nodes_are_scored_exactly(tmp_path: Path) -> None:
    # Both pages have body, p and its leaf, div and img. Only those of the first are labelled:
    # div and img are gold, and `plain` returns all five.
    (tmp_path / "a.html").write_text("<p>one two</p><div data-gold=content><img></div>")
    (tmp_path / "b.html").write_text("<p>one two</p><div><img></div>")
    done = forest("--data", tmp_path, "--method", "plain", "--format", "json", "--measure", "nodes")
    (page,) = load_result(done.stdout).runs[0].pages
    assert page.id == "a"
    score = page.scores["nodes"]
    assert (score.precision, score.recall) == (2 / 5, 1)


def test_protocols_and_study_are_those_of_the_options(data: Path) -> None:
    done = forest(
        *("--data", data, "--method", "coverage", "--format", "json", "--study", "measure"),
        *("--protocol", "unseen", "--protocol", "in-sample"),
    )
    result = load_result(done.stdout)
    assert result.study == "measure"
    assert [(run.protocol, run.setting["measure"]) for run in result.runs] == [
        (protocol, measure) for protocol in ("unseen", "in-sample") for measure in ("J", "U", "JU")
    ]


def test_a_method_that_fails_on_every_page_is_reported_and_exits_with_1(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.extractor_names()
    monkeypatch.setitem(registry._registered, "crashing", Crashing())
    done = forest("--data", data, "--method", "crashing", "--method", "plain")
    assert done.exit_code == 1
    assert "crashing on news: 3 crash; first crash on a: ValueError: never works" in done.stderr
    assert "100.0" in done.stdout  # plain is still evaluated


def test_the_timeout_is_per_page(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data.write_text(data.read_text() + line("d", html="<table>"))
    registry.extractor_names()
    monkeypatch.setitem(registry._registered, "dozing", Dozing())
    done = forest("--data", data, "--method", "dozing", "--timeout", 1, "--format", "json")
    assert load_result(done.stdout).runs[0].failures == {"timeout": 1}
    assert done.exit_code == 0
    assert "1 timeout" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--method", "nonsense"], "unknown method 'nonsense'; known: ", id="method"),
        pytest.param(["--method", "plain", "--measure", "luck"], "'bigrams'", id="measure"),
        pytest.param(["--method", "plain", "--protocol", "luck"], "'unseen'", id="protocol"),
        pytest.param(["--method", "plain", "--study", "luck"], "'signifiers'", id="study"),
        pytest.param(["--method", "plain", "--min-pages", "9"], "no page is left", id="no-pages"),
        pytest.param([], "Missing option '--method'", id="no-method"),
    ],
)
def test_wrong_usage_lists_the_known_names_and_exits_with_2(
    data: Path, arguments: list[str], message: str
) -> None:
    done = forest("--data", data, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_broken_data_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(line("a") + "{\n")
    done = forest("--data", path, "--method", "plain")
    assert done.exit_code == 2
    assert "bad.jsonl:2: not JSON" in done.stderr


def test_results_are_the_same_with_more_workers(data: Path) -> None:
    scores = []
    for jobs in ("1", "2"):
        done = forest("--data", data, "--method", "plain", "--format", "json", "--jobs", jobs)
        scores.append([page.scores for page in load_result(done.stdout).runs[0].pages])
    assert scores[0] == scores[1]


def test_an_interruption_leaves_nothing_running(tmp_path: Path, data: Path) -> None:
    note = tmp_path / "pid"
    # It reads its page first: by then the worker knows the process that it has to end.
    program = f"cmd:sh -c 'cat > /dev/null; echo $$ > {note}; exec sleep 600'"
    command = [sys.executable, "-m", "forest_crawler", "evaluate", "--data", str(data)]
    command += ["--jobs", "1", "--method", program]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    wait_until(lambda: note.exists() and note.read_text().endswith("\n"), "the program starts")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=HANG)
    assert process.returncode == 130
    running = Path("/proc", note.read_text().strip())
    wait_until(lambda: not running.exists(), "the program ends")


@pytest.mark.parametrize("options", [["--measure", "sequence"], ["--report", "report"]])
def test_missing_package_of_a_measure_is_named_before_anything_runs(
    data: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    done = forest("--data", data, "--method", "plain", *options)
    assert done.exit_code == 2
    assert "pip install 'forest-crawler[evaluate]'" in done.stderr


def test_default_measure_needs_no_further_package(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    assert forest("--data", data, "--method", "plain").exit_code == 0
