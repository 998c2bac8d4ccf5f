"""Node-labelled gold: marks in the source and lists in the metadata."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_crawler.datasets.gold_nodes import NodeGold, read_node_gold
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.errors import InputError
from tests.support.growth import assert_linear

# body 1, div 2, a 3, div 4, h1 5, figure 6, img 7, p 8, aside 9, b 10
BARE = (
    "<body><div><a>Home</a></div><div{story}><h1>Ferry</h1><figure><img src=x></figure>"
    "<p>It is back.</p><aside{aside}>Read <b>on</b></aside></div></body>"
)


def read(story: str = "", aside: str = "", listed: object = None) -> NodeGold:
    gold = read_node_gold(BARE.format(story=story, aside=aside), listed, "a.json")
    assert gold is not None
    return gold


def test_a_mark_holds_for_all_that_is_in_the_element() -> None:
    gold = read(' data-gold="content"')
    assert sorted(gold.elements) == [4, 5, 6, 7, 8, 9, 10]
    assert gold.text == "Ferry\nIt is back.\nRead on"


def test_another_value_ends_the_mark_of_an_outer_element() -> None:
    gold = read(" data-gold='content'", " data-gold=other")
    assert sorted(gold.elements) == [4, 5, 6, 7, 8]
    assert gold.text == "Ferry\nIt is back."


def test_classes_of_teco_are_marks() -> None:
    assert sorted(read(' class="TECO_mainContent TECO_notTemplate"').elements) == list(range(4, 11))
    assert read(' class="TECO_notTemplate"').elements == frozenset()


@pytest.mark.parametrize(
    ("mark", "left"),
    [
        pytest.param(" data-gold=content", "", id="bare"),
        pytest.param(' data-gold="content" id=x', " id=x", id="before-another"),
        pytest.param(' DATA-GOLD = "content"', "", id="upper-case"),
        pytest.param(' id=x\n data-gold="content"', " id=x\n", id="on-a-line-of-its-own"),
        pytest.param(' class="TECO_mainContent"', "", id="class"),
        pytest.param(
            ' class="TECO_notTemplate story TECO_mainContent"', ' class="story "', id="other-class"
        ),
        pytest.param(" class=TECO_notTemplate2", "", id="unquoted-class"),
    ],
)
def test_no_mark_is_left_in_the_source(mark: str, left: str) -> None:
    assert read(mark).source == BARE.format(story=left, aside="")


def test_bytes_stay_as_they_are_but_for_the_mark() -> None:
    gold = read_node_gold(b"<p data-gold=content>Caf\xe9 \x93au lait\x94", None, "a.html")
    assert gold is not None
    assert gold.source == b"<p>Caf\xe9 \x93au lait\x94"
    assert gold.text == "Café “au lait”"


def test_a_page_without_marks_and_list_has_no_node_gold() -> None:
    assert read_node_gold(BARE.format(story=" class=story", aside=""), None, "a") is None


@pytest.mark.parametrize(
    ("listed", "elements"),
    [
        pytest.param([5, 8], [5, 8], id="dfs-numbers"),
        pytest.param([6], [6, 7], id="with-what-is-in-it"),
        pytest.param(["//h1", "/html/body/div[2]/p"], [5, 8], id="xpaths"),
        pytest.param(["//aside", 5], [5, 9, 10], id="both"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_a_list_names_the_elements(listed: object, elements: list[int]) -> None:
    assert sorted(read(listed=listed).elements) == elements


def test_a_list_comes_before_marks() -> None:
    gold = read(" data-gold=content", listed=["//h1"])
    assert (sorted(gold.elements), gold.text) == ([5], "Ferry")
    assert gold.source == BARE.format(story="", aside="")


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        pytest.param("//h1", "'gold_nodes' isn't a list but str", id="not-a-list"),
        pytest.param([11], "names element 11, but dfs numbers of this page are 1 to 10", id="dfs"),
        pytest.param([0], "names element 0", id="zero"),
        pytest.param([True], "neither a dfs number nor an XPath: True", id="flag"),
        pytest.param(["//["], "not an XPath", id="syntax"),
        pytest.param(["//table"], "'//table' selects nothing", id="nothing-selected"),
    ],
)
def test_a_list_that_does_not_fit_is_an_error(listed: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(listed=listed)
    assert str(caught.value).startswith("a.json: ")
    assert message in str(caught.value)


def test_a_page_without_elements_has_no_content() -> None:
    gold = read_node_gold("<!-- data-gold -->", [], "a")
    assert gold is not None
    assert (gold.elements, gold.text) == (frozenset(), "")


def test_pages_are_read_with_their_labelled_nodes(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(BARE.format(story=" data-gold=content", aside=""))
    (tmp_path / "b.html").write_text(BARE.format(story="", aside=""))
    (tmp_path / "b.json").write_text(json.dumps({"gold_nodes": ["//p"]}))
    first, second = read_pages(tmp_path)
    assert first.gold_nodes == frozenset(range(4, 11))
    assert first.source == second.source
    assert (second.gold_nodes, second.gold) == (frozenset([8]), "It is back.")


def test_a_gold_text_stays_beside_labelled_nodes(tmp_path: Path) -> None:
    row = {"html": "<p>One<p>Two", "gold": "One", "gold_nodes": [3]}
    (tmp_path / "set.jsonl").write_text(json.dumps(row))
    (page,) = read_pages(tmp_path / "set.jsonl")
    assert (page.gold, page.gold_nodes) == ("One", frozenset([3]))


def test_marks_are_removed_in_linear_time() -> None:
    def page(size: int) -> str:
        return "<p data-gold=content>" + " " * 10 * size + "<p class=x>" * size

    assert_linear(lambda size: lambda: read_node_gold(page(size), None, "a"), 5_000)
