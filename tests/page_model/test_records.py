"""A page's records: which elements they are, and the features from them."""

from __future__ import annotations

import pytest

from forest_crawler.metadata.statement import read_statement
from forest_crawler.page.tree import parse_page
from forest_crawler.page_model.division import divide_blocks
from forest_crawler.page_model.features import Features, compute_features
from forest_crawler.page_model.layout import Layout, measure_layout
from forest_crawler.page_model.records import find_records, name_share

# Twelve words each: just running text.
STORY = "<p>The ferry came back to the harbour on a cold morning today"
REPLY = "<b>Ann</b><p>So glad to see it again at last, after all that time"


def layout_of(html: str) -> Layout:
    return measure_layout(divide_blocks(parse_page(html)))


def features_of(html: str) -> Features:
    tree = parse_page(html)
    return compute_features(measure_layout(divide_blocks(tree)), read_statement(tree))


def comments(count: int) -> str:
    return "".join(f"<div class='c{n} comment' id=comment-{n}>{REPLY}</div>" for n in range(count))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param(comments(3), [1, 4, 7], id="numbered-ids"),
        pytest.param(f"<div class=post>{REPLY}</div>" * 2, [1, 4], id="classes"),
        pytest.param(f"<ul><li>{REPLY}</li><li>{REPLY}</li></ul>", [2, 5], id="nameless-siblings"),
        pytest.param(f"<ul><li>{REPLY}</ul><ol><li>{REPLY}</ol>", [], id="nameless-cousins"),
        pytest.param(STORY * 3, [], id="paragraphs-alone"),
        # Body 0, the outer post 1, its b 2 and p 3, the inner one 4.
        pytest.param(
            f"<div class=post>{REPLY}<div class=post>{REPLY}</div></div>" * 2,
            [1, 4, 7, 10],
            id="nested",
        ),
    ],
)
def test_records_are_similar_elements_with_more_than_a_paragraph(
    html: str, expected: list[int]
) -> None:
    assert find_records(layout_of(html)).elements.tolist() == expected


def test_wrappers_with_a_namesake_are_not_records() -> None:
    # The rows have all text, but without their longest only one of four posts.
    posts = f"<div class=post>{REPLY}</div>"
    rows = f"<div class=row><i>x</i>{posts * 3}</div><div class=row><i>y</i>{posts}</div>"
    assert len(find_records(layout_of(rows)).elements) == 4


def test_nested_records_are_counted_once_in_the_total() -> None:
    page = f"<div class=post>{REPLY}<div class=post>{REPLY}</div></div>" * 2
    records = find_records(layout_of(page))
    assert records.text.tolist() == [24, 12, 24, 12]
    assert records.total == 48


def test_the_share_of_named_records_counts_their_own_names() -> None:
    layout = layout_of(f"<div class=forum><p>Hi{comments(2)}</div>")
    records = find_records(layout)
    assert name_share(layout, records, "comment") == 1
    assert name_share(layout, records, "thread") == 0


def test_blocks_are_before_among_or_after_the_records() -> None:
    position = features_of(f"{STORY}</p>{comments(2)}<p>Imprint").column("record place")
    # The text, then name and text of each comment, then the last line.
    assert position.tolist() == [-1, 0, 0, 0.5, 0.5, 2]


def test_text_before_the_records_distinguishes_comments_from_a_thread() -> None:
    under = features_of(f"{STORY * 3}</p>{comments(3)}")
    thread = features_of(comments(6))
    # Three paragraphs of twelve words before three comments of twelve.
    assert under.column("page text before records")[0] == 0.5
    assert thread.column("page text before records")[0] == 0


def test_a_page_without_records_has_its_own_value() -> None:
    assert features_of(STORY).column("page records").tolist() == [-1]
