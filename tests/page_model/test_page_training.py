"""Training of the page model: labels, variants of pages, recorded weights."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.page_labels import label_blocks
from benchmarks.page_variants import (
    age_page,
    crowd_page,
    cut_to_brief,
    flank_page,
    graft_comments,
)
from benchmarks.train_page import page_examples
from benchmarks.tree_records import record_trees
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page_model.boosting import read_trees
from forest_crawler.page_model.division import divide_blocks

PAGE = (
    "<title>T</title><meta name=description content=d><nav class=top>Menu of pages</nav>"
    "<main><article id=story><h1>Ferry returns</h1>"
    + "".join(f"<p>paragraph {i} with quite some words in it, ten of them</p>" for i in range(5))
    + "</article></main><footer>Legal things</footer>"
)


STORY = [f"grault garply waldo fred plugh xyzzy thud {i}" for i in range(6)]


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  repeatable, not secret


def texts_of(html: str) -> list[str]:
    return divide_blocks(parse_page(html)).texts


def test_labels_are_the_share_of_a_blocks_bigrams_in_gold() -> None:
    blocks = divide_blocks(parse_page("<p>a b c d e</p><p>v w x y z</p><p>a b c x y</p>"))
    labels = label_blocks(blocks, "a b c d e")
    # The third has a-b and b-c of four bigrams.
    assert labels.content.tolist() == [1, 0, 0.5]
    assert labels.is_content.tolist() == [True, False, False]


def test_a_short_block_counts_only_at_its_position_in_gold() -> None:
    blocks = divide_blocks(parse_page("<p>a b</p><p>c d e f a b g h</p>"))
    # "a b" is in gold once, within the second block.
    assert label_blocks(blocks, "c d e f a b g h").content.tolist() == [0, 1]


def test_a_label_on_which_two_comparisons_disagree_weighs_a_tenth() -> None:
    blocks = divide_blocks(parse_page("<p>e f g h</p><p>a b c d i</p>"))
    # Gold has both, in the other order: only the longer one can be placed.
    weights = label_blocks(blocks, "a b c d i e f g h").weights
    # 4 and 5 of at least 100 words.
    assert weights.tolist() == pytest.approx([0.1 * 4 / 100, 5 / 100])


@pytest.mark.parametrize("seed", range(8))
def test_an_aged_page_keeps_its_words_in_order(seed: int) -> None:
    aged = age_page(parse_page(PAGE), seeded(seed))
    assert " ".join(divide_blocks(aged).texts).split() == " ".join(texts_of(PAGE)).split()


def test_ageing_does_not_change_the_original_tree() -> None:
    tree = parse_page(PAGE)
    before = tree.annotated_xml()
    age_page(tree, seeded(1))
    assert parse_page(PAGE).annotated_xml() == before == tree.annotated_xml()
    assert tree.html.find("head/meta") is not None


def test_semantic_tags_are_gone_from_most_aged_pages() -> None:
    aged = [age_page(parse_page(PAGE), seeded(seed)) for seed in range(20)]
    without = [tree for tree in aged if tree.body.find(".//article") is None]
    # Nine in ten are expected: fewer than twelve of twenty has a probability of about 10^-4.
    assert len(without) >= 12


@pytest.mark.parametrize("seed", range(8))
def test_grafted_comments_follow_the_article_before_or_after_the_footer(
    seed: int,
) -> None:
    tree = parse_page(PAGE)
    blocks = divide_blocks(tree)
    labels = label_blocks(blocks, "\n".join(blocks.texts[1:-1]))
    grafted = graft_comments(tree, labels.is_content, ["quux quuz corge"], seeded(seed))
    assert grafted is not None
    texts = divide_blocks(grafted).texts
    comments = [i for i, text in enumerate(texts) if text == "quux quuz corge"]
    assert comments
    assert texts.index("Ferry returns") < comments[0]
    assert {"Menu of pages", "Legal things"} <= set(texts)


def test_nothing_is_grafted_under_a_page_without_an_article() -> None:
    tree = parse_page("<p>too short</p>")
    assert graft_comments(tree, np.array([True]), ["a b c"], seeded(1)) is None
    assert cut_to_brief(tree, np.array([True]), ["a b c"], seeded(1)) is None
    assert crowd_page(tree, np.array([True]), [STORY], seeded(1)) is None
    assert flank_page(tree, np.array([True]), [STORY], seeded(1)) is None


def variants_of(make: Callable[..., PageTree | None], *added: Sequence[object]) -> list[list[str]]:
    """Divide twenty variants of the page into blocks."""
    tree = parse_page(PAGE)
    blocks = divide_blocks(tree)
    is_content = label_blocks(blocks, "\n".join(blocks.texts[1:-1])).is_content
    made = [make(tree, is_content, *added, seeded(seed)) for seed in range(20)]
    return [divide_blocks(it).texts for it in made if it is not None]


def test_a_brief_post_is_the_beginning_of_its_article() -> None:
    whole = " ".join(texts_of(PAGE)[2:-1])
    found = variants_of(cut_to_brief, ["quux quuz corge"])
    posts = [" ".join(text for text in texts if "paragraph" in text) for texts in found]
    assert len(posts) == 20
    assert all(whole.startswith(post) for post in posts)
    # 2 to 90 words, evenly by their logarithm; the article has 50, so one in six stays whole.
    assert sum(len(post) < len(whole) for post in posts) >= 12
    assert all({"Menu of pages", "Ferry returns", "Legal things"} <= set(texts) for texts in found)


def test_most_brief_posts_have_comments() -> None:
    found = variants_of(cut_to_brief, ["quux quuz corge"])
    # Seven in ten are expected: eight to nineteen of twenty in all but one case in a thousand.
    assert 8 <= sum("quux quuz corge" in texts for texts in found) <= 19


def test_a_crowded_page_keeps_its_article_and_has_text_of_others() -> None:
    for texts in variants_of(crowd_page, [STORY]):
        assert [text for text in texts if text in texts_of(PAGE)] == texts_of(PAGE)
        assert any(word in " ".join(texts) for word in ("grault", "garply"))


def test_galleries_are_in_the_article_and_further_articles_after_it() -> None:
    end = texts_of(PAGE)[-2]
    strangers = [
        [i - texts.index(end) for i, text in enumerate(texts) if "garply" in text]
        for texts in variants_of(crowd_page, [STORY])
    ]
    # Half of the pages have a gallery, after any of five paragraphs; seven in ten have articles.
    assert any(offsets[0] < 0 for offsets in strangers)
    assert any(offsets[0] > 0 for offsets in strangers)


def test_side_columns_come_before_the_article_and_lists_of_others_after_it() -> None:
    found = variants_of(flank_page, [STORY])
    assert len(found) == 20
    first, last = [], []
    for texts in found:
        at = texts.index("Ferry returns")
        strangers = [i - at for i, text in enumerate(texts) if "grault" in text or "garply" in text]
        first.append(strangers[0] < 0)
        last.append(strangers[-1] > 0)
        assert {"Menu of pages", "Legal things"} <= set(texts)
    # Three in five have a column, the others a list: never both.
    assert [not it for it in first] == last
    assert 5 <= sum(first) <= 18


def test_half_of_the_articles_beside_a_column_are_shortened() -> None:
    whole = texts_of(PAGE)[2:-1]
    kept = [[t for t in texts if t in whole] for texts in variants_of(flank_page, [STORY])]
    assert all(texts == whole[: len(texts)] and texts for texts in kept)
    assert 4 <= sum(len(texts) < len(whole) for texts in kept) <= 16


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (
            "article",
            ["as it is", "aged", "commented", "aged and commented", "brief", "crowded", "flanked"],
        ),
        ("service", ["as it is", "aged", "commented", "aged and commented"]),
        ("forum", ["as it is", "aged"]),
    ],
)
def test_only_pages_that_may_have_comments_get_commented_variants(
    kind: str, expected: list[str]
) -> None:
    gold = "\n".join(texts_of(PAGE)[1:-1])
    page = LabelledPage("1", "bay.example", None, PAGE, gold, kind=kind)
    examples = page_examples(page, ["quux quuz corge"], [STORY])
    assert [example.variant for example in examples] == expected


def test_recorded_trees_give_the_same_probabilities_as_their_model() -> None:
    chance = np.random.default_rng(3)
    rows = chance.random((400, 4)).astype(np.float32)
    wanted = (rows[:, 0] > 0.5) ^ (rows[:, 2] > 0.3)  # columns 1 and 3 are irrelevant
    model = HistGradientBoostingClassifier(max_iter=12, max_leaf_nodes=5, early_stopping=False)
    model.fit(rows, wanted)
    trees = read_trees(record_trees(model, ["a", "b", "c", "d"]))
    positions = ["abcd".index(name) for name in trees.columns]
    expected = model.predict_proba(rows)[:, 1]
    assert trees.probabilities(rows[:, positions]).tolist() == pytest.approx(
        expected.tolist(), abs=1e-3
    )


def test_columns_that_no_tree_tests_are_not_recorded() -> None:
    rows = np.zeros((200, 3), dtype=np.float32)
    rows[:, 1] = np.arange(200)
    model = HistGradientBoostingClassifier(max_iter=2, early_stopping=False)
    model.fit(rows, rows[:, 1] > 99)
    assert record_trees(model, ["a", "b", "c"])["columns"] == ["b"]
