"""What `benchmarks.lost_text` counts, on pages and wrappers made by hand."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.lost_text import HEADER, format_row, judge_page, list_findings, main
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.induction import SamplePage
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.wrapper import Wrapper

TEXT = (
    "<p>The crews were ready in time for the <a href=/r>regatta</a>, whose course had been laid "
    "out on Monday by the harbour master and two of her sons.</p><ul><li>The first boat left at "
    "noon and came back in the evening without its mast.<li>The second boat never left, because "
    "its owner had sold the sails the day before the start.</ul>"
)
GOLD = (
    "The crews were ready in time for the regatta, whose course had been laid out on Monday by "
    "the harbour master and two of her sons. The first boat left at noon and came back in the "
    "evening without its mast. The second boat never left, because its owner had sold the sails "
    "the day before the start."
)
PAGE = f"<html><title>Regatta</title><h1>Regatta</h1><div id=story>{TEXT}</div></html>"
LABELLED = LabelledPage("1", "harbour.example", None, PAGE, GOLD)


def wrapper(body: str, *strip: str) -> Wrapper:
    return Wrapper("harbour.example", "by hand", "portable", (body,), strip)


def row(*wrappers: Wrapper) -> dict[str, str]:
    page = judge_page(LABELLED, SamplePage(parse_page(PAGE)), wrappers)
    names = "set sites pages lost lost_alone holes gold holes_alone gold_alone wrappers inline bare"
    return dict(zip(names.split(), format_row("hand", [page], wrappers).split(), strict=True))


def test_header_names_every_column() -> None:
    assert len(HEADER.split()) == len(format_row("hand", [], []).split())


def test_a_container_loses_nothing() -> None:
    found = row(wrapper("//div[@id='story']"))
    assert found["wrappers"] == "1"
    assert [found[name] for name in ("lost", "holes", "holes_alone", "inline", "bare")] == ["0"] * 5


def test_paragraphs_alone_lose_the_list() -> None:
    found = row(wrapper("//div[@id='story']/p"))
    assert (found["lost"], found["lost_alone"]) == ("1", "1")  # 26 of 58 words are in `p`


def test_a_bare_link_leaves_a_hole_that_the_gold_fills() -> None:
    found = row(wrapper("//div[@id='story']", "//div[@id='story']//a"))
    assert (found["holes_alone"], found["gold_alone"]) == ("1", "1")
    assert found["holes"] == "0"  # `Wrapper.select` keeps what is inside a sentence
    assert (found["inline"], found["bare"]) == ("1", "1")


def test_a_bare_block_is_not_inline() -> None:
    found = row(wrapper("//div[@id='story']", "//aside"))
    assert (found["inline"], found["bare"]) == ("0", "1")


def test_list_names_page_hole_and_rule() -> None:
    wrappers = [wrapper("//div[@id='story']", "//a", "//ul")]
    page = judge_page(LABELLED, SamplePage(parse_page(PAGE)), wrappers)
    lost, hole, link, items = list_findings([page], wrappers)
    assert lost.startswith("  lost  harbour.example 1: recall 0.")
    assert hole.startswith("  alone gold harbour.example 1: …")
    assert "time for the [regatta] , whose course" in hole
    assert link.split() == ["inline", "harbour.example:", "//a"]
    assert items.split() == ["bare", "harbour.example:", "//ul"]


def test_sites_of_four_pages_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"id": f"{site}{n}", "site": site, "gold": f"{GOLD} {n}", "html": f"{PAGE}<p>{n}</p>"}
        for site, count in (("four.example", 4), ("three.example", 3))
        for n in range(count)
    ]
    with gzip.open(tmp_path / "tiny.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(line) + "\n" for line in rows)
    monkeypatch.setenv("FOREST_BENCH", str(tmp_path))
    main(["tiny", "missing"])
    out, err = capsys.readouterr()
    assert out.splitlines()[1].split()[:3] == ["tiny", "1", "4"]
    assert "missing" in err
