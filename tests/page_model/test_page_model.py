"""The page model: its trees, the choice of blocks, and results on small pages."""

from __future__ import annotations

import json
import weakref
from dataclasses import replace
from importlib.resources import files

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.extraction.methods.page import PageModelExtractor
from forest_crawler.page.tree import parse_page
from forest_crawler.page_model.boosting import BoostedTrees, TreesRecord, read_trees
from forest_crawler.page_model.choice import (
    add_code,
    add_terms,
    best_threshold,
    choose_blocks,
    choose_headline,
    choose_jointly,
)
from forest_crawler.page_model.division import divide_blocks
from forest_crawler.page_model.explanation import explain_page
from forest_crawler.page_model.features import Features
from forest_crawler.page_model.layout import measure_layout
from forest_crawler.page_model.model import (
    Opinion,
    PageModel,
    ScoredBlocks,
    bundled_model,
    score_blocks,
    score_features,
)
from forest_crawler.page_model.outcome import Outcome, judge_page
from tests.support.growth import Work, assert_linear

STUMPS: TreesRecord = {
    "columns": ["links", "words"],
    "base": 0.5,
    "depth": 2,
    "roots": [0, 5],
    # Tree 1: links <= 0.5 ? (words <= 10 ? 1 : 3) : -2. Tree 2: words <= 20 ? 0 : 4.
    "feature": [0, 1, 0, 0, 0, 1, 0, 0],
    "threshold": [0.5, 10, 1e30, 1e30, 1e30, 20, 1e30, 1e30],
    "left": [1, 3, 2, 3, 4, 6, 6, 7],
    "value": [0, 0, -2, 1, 3, 0, 0, 4],
}
ROWS = np.array([[0.0, 5], [0.5, 15], [0.9, 30]], dtype=np.float32)
LOG_ODDS = [0.5 + 1 + 0, 0.5 + 3 + 0, 0.5 - 2 + 4]

SENTENCE = "The ferry came back to the harbour on a cold morning, and people waved from the pier. "
STORY = "".join(f"<p>{SENTENCE * 3}</p>" for _ in range(6))
MENU = "<ul class=menu>" + "<li><a href=/x>Harbour news</a></li>" * 12 + "</ul>"
COMMENTS = (
    "<div id=comments><h3>3 comments</h3>"
    + "<div class=comment><b>Ann</b> 3 May 2012, 7:14<p>So glad to see it again, at last!</p></div>"
    * 3
    + "</div>"
)


def extract(html: str) -> str:
    return PageModelExtractor().extract(parse_page(html)).text


def outcome(html: str) -> Outcome:
    scored = score_blocks(parse_page(html))
    return judge_page(scored, choose_blocks(scored))


def test_terms_are_chosen_with_their_descriptions() -> None:
    terms = f"<dt><a href=/u>url</a></dt><dd>{SENTENCE}</dd><dt>host<dt>port<dd>{SENTENCE}"
    contacts = "<dl><dt>Contact<dd><a href=/b>Imprint</a></dl><dl><dt>Alone</dl>"
    layout = score_blocks(parse_page(f"<dl>{terms}</dl>{contacts}")).features.layout
    chosen = np.array([text == SENTENCE.strip() for text in layout.blocks.texts])
    add_terms(layout, chosen)
    kept = [text for text, is_kept in zip(layout.blocks.texts, chosen, strict=True) if is_kept]
    assert kept == ["url", SENTENCE.strip(), "host", "port", SENTENCE.strip()]


def test_terms_are_chosen_in_linear_time() -> None:
    def work(size: int) -> Work:
        listed = "<dt>url<dd>The address that it connects to." * size
        layout = measure_layout(divide_blocks(parse_page(f"<dl>{listed}</dl>")))
        return lambda: add_terms(layout, np.ones(len(layout.blocks), dtype=bool))

    assert_linear(work, 60_000)


CODE = "<pre>set -g mouse on</pre>"


@pytest.mark.parametrize(
    ("html", "is_kept"),
    [
        pytest.param(f"<div><p>text</p>{CODE}</div>", True, id="next"),
        pytest.param(f"<div><p>text</p><i><b><u>{CODE}</u></b></i></div>", False, id="too-deep"),
        pytest.param(f"<div><p>text</p><div><div>{CODE}</div></div></div>", True, id="highlighter"),
        pytest.param(f"<div><p>text</p>{'<p>menu</p>' * 24}{CODE}</div>", True, id="near"),
        pytest.param(f"<div><p>text</p>{'<p>menu</p>' * 25}{CODE}</div>", False, id="far"),
        pytest.param(f"<div>{CODE}<p>text</p></div>", False, id="before"),
        pytest.param(
            f"<div><p>text</p><div><i>bash</i><b>Copy</b>{CODE}</div></div>", True, id="labels"
        ),
        pytest.param(
            f"<div><p>text</p><ul><li><p>I would rather set this one:</p>{CODE}</ul></div>",
            False,
            id="comment",
        ),
        pytest.param(f"<div><p>text</p></div><div>{CODE}</div>", False, id="other-container"),
        pytest.param(f"<p>text</p>{CODE}", False, id="only-the-page-is-around-both"),
    ],
)
def test_code_after_chosen_text_of_its_container_is_chosen(html: str, is_kept: bool) -> None:
    layout = score_blocks(parse_page(html)).features.layout
    chosen = np.array([text == "text" for text in layout.blocks.texts])
    add_code(layout, chosen)
    kept = {text for text, it in zip(layout.blocks.texts, chosen, strict=True) if it}
    assert kept == ({"text", "set -g mouse on"} if is_kept else {"text"})


@pytest.mark.parametrize("page", ["<div id=app></div><pre></pre>", "<p>text</p><pre></pre>"])
def test_empty_code_is_no_content(page: str) -> None:
    scored = score_blocks(parse_page(page))
    assert len(choose_blocks(scored)) == len(scored.features.layout.blocks.texts)


def test_code_of_several_blocks_is_chosen_as_a_whole() -> None:
    page = "<div><p>text</p><pre><div>one</div><div>two</div></pre><p>menu</p></div>"
    layout = score_blocks(parse_page(page)).features.layout
    chosen = np.array([True, False, False, False])
    add_code(layout, chosen)
    assert chosen.tolist() == [True, True, True, False]


def test_a_page_is_scored_once_per_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[Features] = []

    def count(features: Features, model: PageModel) -> ScoredBlocks:
        scored.append(features)
        return score_features(features, model)

    monkeypatch.setattr("forest_crawler.page_model.model.score_features", count)
    tree = parse_page(f"<body>{MENU}{STORY}")
    assert PageModelExtractor().extract(tree).text
    assert judge_page(score_blocks(tree), choose_blocks(score_blocks(tree))) is Outcome.ARTICLE
    assert explain_page(tree)
    assert len(scored) == 1


def test_scored_blocks_are_freed_with_their_tree() -> None:
    tree = parse_page(STORY)
    rows = weakref.ref(score_blocks(tree).features.rows)
    assert rows() is not None
    del tree
    assert rows() is None


def test_trees_sum_the_values_of_the_leaves_that_a_row_reaches() -> None:
    found = read_trees(STUMPS).probabilities(ROWS)
    assert found == pytest.approx([1 / (1 + np.exp(-odds)) for odds in LOG_ODDS])


def test_each_of_many_rows_reaches_its_own_leaves() -> None:
    found = read_trees(STUMPS).probabilities(np.tile(ROWS, (7, 1)))
    assert found == pytest.approx([1 / (1 + np.exp(-odds)) for odds in LOG_ODDS] * 7)


def test_trees_read_rows_with_further_columns() -> None:
    trees = read_trees(STUMPS).reading(("depth", "words", "links"))
    rows = np.column_stack((np.full(3, 99), ROWS[:, 1], ROWS[:, 0])).astype(np.float32)
    assert trees.columns == ("depth", "words", "links")
    assert trees.probabilities(rows) == pytest.approx(
        [1 / (1 + np.exp(-odds)) for odds in LOG_ODDS]
    )


def test_the_blocks_of_a_huge_page_are_scored_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = parse_page(f"<body>{MENU}{STORY}{MENU}")
    features = score_blocks(tree).features
    assert len(features.rows) > 6
    monkeypatch.setattr("forest_crawler.page_model.model.MAX_ROWS", 3)
    found = score_features(features, bundled_model()).probabilities
    monkeypatch.undo()
    together = score_features(features, bundled_model()).probabilities
    assert found == pytest.approx(together, abs=1e-9)


@pytest.mark.parametrize("row", range(3))
def test_a_single_row_reaches_the_same_leaves_as_among_others(row: int) -> None:
    found = read_trees(STUMPS).probabilities(ROWS[row : row + 1])
    assert found == pytest.approx([1 / (1 + np.exp(-LOG_ODDS[row]))])


def test_a_row_that_is_hopeless_after_a_fifth_of_the_trees_skips_the_others() -> None:
    # Ten trees: links <= 0.5 ? 0.5 : -0.5, the last one 9 instead of -0.5.
    ten: TreesRecord = {
        "columns": ["links"],
        "base": -1.4,
        "depth": 1,
        "roots": [3 * n for n in range(10)],
        "feature": 30 * [0],
        "threshold": 10 * [0.5, 1e30, 1e30],
        "left": [each for n in range(10) for each in (3 * n + 1, 3 * n + 1, 3 * n + 2)],
        "value": 9 * [0, 0.5, -0.5] + [0, 0.5, 9],
    }
    found = read_trees(ten).probabilities(np.array([[0.0], [1.0]], dtype=np.float32))
    odds = [-1.4 + 10 * 0.5, 1.6 * (-1.4 - 2 * 0.5)]  # -2.4 is below -2.25
    assert found == pytest.approx([1 / (1 + np.exp(-each)) for each in odds])
    alone = read_trees(ten).probabilities(np.array([[1.0]], dtype=np.float32))
    assert alone == pytest.approx([1 / (1 + np.exp(-(-1.4 - 9 * 0.5 + 9)))])


def test_contributions_and_bias_add_up_to_the_log_odds() -> None:
    trees = read_trees(STUMPS)
    found = trees.contributions(ROWS)
    assert (found.sum(axis=1) + trees.bias).tolist() == pytest.approx(LOG_ODDS)
    # Tree 1: its right child is -2, its left one (1 + 3) / 2 = 2, so its root is 0. Tree 2: root 2.
    assert trees.bias == 0.5 + 0 + 2
    assert found[0].tolist() == [2, -1 - 2]  # links: 0 to 2; words: 2 to 1, and 2 to 0


@pytest.mark.parametrize(
    ("likely", "words", "expected"),
    [
        pytest.param([0.9, 0.1], [0.0, 0.0], 0.5, id="no-words"),
        # Both: 2·(6 + 2) / (20 + 8) = 0.571; the first alone: 2·6 / (10 + 8) = 0.667.
        pytest.param([0.6, 0.2], [10.0, 10.0], 1 / 3, id="the-better-one-alone"),
        # The first alone: 2·4 / (10 + 7) = 0.471; both: 2·7 / (20 + 7) = 0.519.
        pytest.param([0.4, 0.3], [10.0, 10.0], 7 / 27, id="both"),
        pytest.param([0.001], [10.0], 0.02, id="never-everything"),
    ],
)
def test_the_threshold_is_half_of_the_best_expected_f1(
    likely: list[float], words: list[float], expected: float
) -> None:
    assert best_threshold(np.array(likely), np.array(words)) == pytest.approx(expected)


def expected_f1(
    chosen: npt.NDArray[np.bool_], opinions: list[Opinion], words: npt.NDArray[np.float64]
) -> float:
    """Average two cases: blocks are content independently, or all above a level are."""
    taken, expected = words[chosen].sum(), 0.0
    for weight, likely in opinions:
        single = 2 * (likely * words)[chosen].sum() / (taken + likely @ words)
        sets = [likely > (level + 0.5) / 10 for level in range(10)]
        f1s = [
            2 * words[chosen & content].sum() / (taken + words[content].sum()) for content in sets
        ]
        expected += weight * (single + sum(f1s) / 10) / 2
    return float(expected)


LIKELY = st.lists(st.floats(0.03, 0.99), min_size=4, max_size=4).map(np.array)


@given(LIKELY, LIKELY, st.floats(0.01, 0.99), st.lists(st.integers(1, 90), min_size=4, max_size=4))
def test_no_threshold_on_either_opinion_or_their_mixture_has_a_better_expected_f1(
    article: npt.NDArray[np.float64],
    thread: npt.NDArray[np.float64],
    weight: float,
    counts: list[int],
) -> None:
    words = np.array(counts, dtype=np.float64)
    opinions = [Opinion(weight, article), Opinion(1 - weight, thread)]
    best = expected_f1(choose_jointly(opinions, words), opinions, words)
    for likely in (article, thread, weight * article + (1 - weight) * thread):
        for threshold in likely:
            assert best >= expected_f1(likely >= threshold, opinions, words) - 1e-9


@pytest.mark.parametrize(("weight", "expected"), [(0.4, [True, True]), (0.6, [True, False])])
def test_comments_are_taken_all_or_none_by_the_page_s_likely_kind(
    weight: float, expected: list[bool]
) -> None:
    # As an article, (20, 90) words are worth F1 1 and 40 / 130; as a thread, 40 / 130 and 1.
    opinions = [Opinion(weight, np.array([1.0, 0.0])), Opinion(1 - weight, np.array([1.0, 1.0]))]
    assert choose_jointly(opinions, np.array([20.0, 90.0])).tolist() == expected


def test_a_short_post_is_not_lost_to_many_doubtful_comments() -> None:
    # Each for itself: 2 · 221.6 / (2024 + 221.6) = 0.20 for all, 2 · 21.6 / (24 + 221.6) = 0.18 for
    # the post. Together, over ten levels: (1 + 8 · 48 / 2048) / 10 = 0.12 for all, 0.80 for it.
    likely, words = np.array([0.9] + [0.1] * 20), np.array([24.0] + [100.0] * 20)
    assert choose_jointly([Opinion(1.0, likely)], words).tolist() == [True] + [False] * 20


def test_hopeless_blocks_are_never_chosen() -> None:
    assert not choose_jointly([Opinion(1.0, np.array([0.015]))], np.array([10.0])).any()


def test_blocks_without_words_can_be_chosen() -> None:
    likely, words = np.array([0.9, 0.8]), np.array([0.0, 50.0])
    assert choose_jointly([Opinion(1.0, likely)], words).tolist() == [True, True]


def test_nothing_is_chosen_where_nothing_is_likely() -> None:
    words, likely = np.array([20.0, 90.0]), np.zeros(2)
    assert not choose_jointly([Opinion(1.0, likely)], words).any()


def headline_among(title: list[float], heading: list[float], words: list[float]) -> int | None:
    # The last block is the only content.
    chosen = np.array([False] * (len(title) - 1) + [True])
    likely = np.zeros(len(title))
    return choose_headline(likely, chosen, np.array(words), np.array(title), np.array(heading))


def test_of_blocks_like_the_title_the_heading_is_the_headline() -> None:
    assert headline_among([0.9, 0.9, 0], [0, 1, 0], [5, 5, 90]) == 1


def test_blocks_unlike_the_title_are_not_headlines() -> None:
    assert headline_among([0.4, 0.4, 0], [1, 1, 0], [5, 5, 90]) is None


def test_a_headline_is_not_far_after_the_start_of_the_content() -> None:
    chosen = np.array([True] + [False] * 7)
    title, words = np.array([0.0] * 7 + [1.0]), np.array([50.0] + [5.0] * 7)
    assert choose_headline(np.zeros(8), chosen, words, title, np.zeros(8)) is None


def test_the_bundled_weights_name_their_source() -> None:
    text = files("forest_crawler.page_model").joinpath("model.json").read_text(encoding="utf-8")
    source = json.loads(text)["source"]
    assert source["data"] == "Web Content eXtraction Benchmark (WCXB), M. Foley, CC BY 4.0"
    assert source["pages"] > 0


def test_a_story_is_taken_with_its_headline_and_without_menus() -> None:
    head = "<title>Ferry returns to harbour - Bay News</title>"
    text = extract(f"{head}{MENU}<h1>Ferry returns to harbour</h1><div>{STORY}</div>{MENU}")
    assert text.split("\n") == ["Ferry returns to harbour", *[(SENTENCE * 3).strip()] * 6]


def test_readers_comments_under_a_story_are_left_out() -> None:
    text = extract(f"<title>Ferry</title>{MENU}<div class=entry>{STORY}</div>{COMMENTS}")
    assert "waved from the pier" in text
    assert "So glad" not in text


def test_a_script_without_blanks_is_read_as_well() -> None:
    story = "".join(
        f"<p>{'朝早く、船は港に戻り、人々は岸から手を振った。' * 6}</p>" for _ in range(6)
    )
    text = extract(f"<title>船</title>{MENU}<div>{story}</div>{MENU}")
    assert text.count("\n") == 5
    assert "Harbour news" not in text


def test_a_page_without_text_gives_an_empty_selection() -> None:
    assert not PageModelExtractor().extract(parse_page("<img>"))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param(f"{MENU}<div>{STORY}</div>", Outcome.ARTICLE, id="story"),
        pytest.param("<h1>404</h1><p>Not found.</p>", Outcome.NO_TEXT, id="error"),
        pytest.param("<img>", Outcome.NO_TEXT, id="nothing"),
        # 34 words, all in a dialogue, and a line outside so that it is not around the whole page.
        pytest.param(
            f"<p>Bay News, since 1987</p><div class=consent-dialog><p>{SENTENCE * 2}</p></div>",
            Outcome.WALL,
            id="consent",
        ),
        # Names that blogs and councils give to short texts mean neither form nor dialogue.
        pytest.param(
            f"<p>Bay News, since 1987</p><article class='post format-standard'><p>{SENTENCE * 2}"
            "</p></article>",
            Outcome.ARTICLE,
            id="short-post",
        ),
        pytest.param(
            f"<p>Bay News, since 1987</p><div class=notice><p>{SENTENCE * 2}</p></div>",
            Outcome.ARTICLE,
            id="short-notice",
        ),
    ],
)
def test_a_page_is_judged_by_its_chosen_blocks(html: str, expected: Outcome) -> None:
    assert outcome(html) is expected


OG_ARTICLE = "<meta property=og:type content=article>"
PICTURES = "".join(
    f"<figure><img src=/{n}.jpg><figcaption>The ferry on day {n}</figcaption></figure>"
    for n in "1234"
)


@pytest.mark.parametrize(
    ("head", "expected"), [("", Outcome.NO_TEXT), (OG_ARTICLE, Outcome.ARTICLE)]
)
def test_a_picture_story_is_an_article_if_the_page_states_it(head: str, expected: Outcome) -> None:
    page = f"<head><title>Ferry in pictures</title>{head}</head><h1>Ferry in pictures</h1>"
    tree = parse_page(f"{page}<article>{PICTURES}</article>")
    scored = replace(score_blocks(tree), article=0.9)
    chosen = np.ones(len(scored.probabilities), dtype=bool)
    assert judge_page(scored, chosen) is expected


@pytest.mark.parametrize(
    ("head", "expected"), [("", Outcome.LISTING), (OG_ARTICLE, Outcome.ARTICLE)]
)
def test_an_article_of_links_is_one_if_the_page_states_it(head: str, expected: Outcome) -> None:
    items = "".join(f"<p><a href=/{n}>{SENTENCE}</a> {SENTENCE[:40]}</p>" for n in range(10))
    page = f"<head><title>10 things in tech</title>{head}</head><h1>10 things in tech</h1>"
    tree = parse_page(f"{page}<article class=post><p>{SENTENCE * 2}</p>{items}</article>")
    scored = replace(score_blocks(tree), article=0.9)
    assert judge_page(scored, np.ones(len(scored.probabilities), dtype=bool)) is expected


def test_chosen_blocks_that_are_mostly_links_make_a_listing() -> None:
    page = f"<p>{SENTENCE * 2}</p>" + f"<p><a href=/x>{SENTENCE}</a></p>" * 8
    scored = score_blocks(parse_page(page))
    # 34 words of text, 8 · 17 in links: four fifths.
    assert judge_page(scored, np.ones(9, dtype=bool)) is Outcome.LISTING


def test_an_explanation_has_every_block_and_agrees_with_the_extraction() -> None:
    page = f"<title>Ferry</title>{MENU}<div>{STORY}</div>"
    explained = explain_page(parse_page(page))
    assert len(explained) == 12 + 6
    assert "\n".join(block.text for block in explained if block.kept) == extract(page)
    assert all(len(block.reasons) == 3 for block in explained)


def test_a_block_s_strongest_reasons_come_first() -> None:
    block = explain_page(parse_page(f"{MENU}<div>{STORY}</div>"))[-1]
    weights = [abs(reason.weight) for reason in block.reasons]
    assert weights == sorted(weights, reverse=True)


def constant_trees(log_odds: float) -> BoostedTrees:
    """Make one tree that is a leaf: the same value for every row."""
    return read_trees(
        {
            "columns": ["words"],
            "base": log_odds,
            "depth": 1,
            "roots": [0],
            "feature": [0],
            "threshold": [1e30],
            "left": [0],
            "value": [0.0],
        }
    )


@pytest.mark.parametrize(
    ("kind", "forum", "expected"),
    [
        # Even odds that it isn't an article, times 0.7: 7 parts of 0.2 and 10 of 0.8.
        pytest.param(0.0, -20.0, (7 * 0.2 + 10 * 0.8) / 17, id="both-kinds-count"),
        # Odds whose power of 0.6 is 2, times 0.7: 14 parts of 0.2 and 10 of 0.8.
        pytest.param(np.log(2) / 0.6, -20.0, (14 * 0.2 + 10 * 0.8) / 24, id="odds-are-tempered"),
        # A thread with probability 1/2, an article with 1/2 · 10/17 = 5/17.
        pytest.param(0.0, 0.0, (12 * 0.2 + 5 * 0.8) / 17, id="perhaps-a-thread"),
        pytest.param(-5.0, -20.0, 0.8, id="surely-an-article"),
        pytest.param(9.0, -20.0, 0.2, id="surely-not-an-article"),
        pytest.param(-5.0, 9.0, 0.2, id="surely-a-thread"),
    ],
)
def test_scores_of_the_two_kinds_are_mixed_where_the_kind_is_unsure(
    kind: float, forum: float, expected: float
) -> None:
    tree = parse_page("<p>One<p>Two")
    features = score_blocks(tree).features
    # Log-odds of ln 4 are four to one: 0.8.
    page_kind = replace(constant_trees(kind), columns=("page words",))
    thread = replace(constant_trees(forum), columns=("page words",))
    model = PageModel(page_kind, thread, constant_trees(np.log(4)), constant_trees(-np.log(4)))
    assert score_features(features, model).probabilities.tolist() == pytest.approx([expected] * 2)
