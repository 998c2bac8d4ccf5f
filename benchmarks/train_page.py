"""Train the page model on WCXB: `python -m benchmarks.train_page [OUTPUT]`.

Prints F1 of 2-gram sets: cross-validated by site on WCXB, and plain on the other labelled sets,
which are never trained on. With OUTPUT, writes the model in the format of
`forest_crawler/page_model/model.json`. The sets are in the folder that FOREST_BENCH names.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

from benchmarks.page_labels import label_blocks
from benchmarks.page_variants import (
    Mask,
    age_page,
    crowd_page,
    cut_to_brief,
    flank_page,
    graft_comments,
)
from benchmarks.tree_records import record_trees
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.errors import EmptyPageError
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.metadata.statement import read_statement
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page_model.boosting import TreesRecord
from forest_crawler.page_model.choice import choose_blocks
from forest_crawler.page_model.division import Blocks, Floats, divide_blocks
from forest_crawler.page_model.features import Features, compute_features
from forest_crawler.page_model.kinds import summarise_page
from forest_crawler.page_model.layout import measure_layout
from forest_crawler.page_model.model import (
    ModelRecord,
    PageModel,
    judge_positions,
    read_model,
    score_features,
)

SOURCE = "wcxb"
CREDIT = "Web Content eXtraction Benchmark (WCXB), M. Foley, CC BY 4.0"
OTHER_SETS = ("big9", "dragnet", "chaos", "l3s-gn1", "cleaneval")
FOLDS = 5
WORKERS = 2

ROWS_PER_PAGE = 120
"""Blocks drawn from a page by weight: all pages count equally, however many blocks they have."""

PAGE_COLUMNS = ("page ", "stated ")
"""Columns about the whole page: they show its kind, so a model of one kind doesn't need them."""

THREAD_COLUMNS = ("in thread", "in blog", "record place")
"""Columns that distinguish threads from articles. With them, article trees were better on dragnet
by half a point and worse on chaos by 0.3, and `forest` was worse."""

# Aged copies of articles lose more on modern pages than they gain on old ones, which the other
# trees are trained on.
ARTICLE_TREES = {
    "max_iter": 200,
    "max_leaf_nodes": 32,  # the maximum for five levels
    "max_depth": 5,
    "learning_rate": 0.06,
    "max_features": 0.3,
}
OTHER_TREES = {
    "max_iter": 100,
    "max_leaf_nodes": 24,
    "max_depth": 5,
    "learning_rate": 0.12,
    "max_features": 0.3,
}
KIND_TREES = {
    "max_iter": 50,
    "max_leaf_nodes": 6,
    "max_depth": 4,
    "learning_rate": 0.1,
    "max_features": 0.3,
}
FORUM_TREES = {
    "max_iter": 80,
    "max_leaf_nodes": 8,
    "max_depth": 5,
    "learning_rate": 0.1,
    "max_features": 0.25,
}


Variant = Literal[
    "as it is", "aged", "commented", "aged and commented", "brief", "crowded", "flanked"
]
ARTICLE_VARIANTS = {
    "as it is": 1.0,
    "commented": 1.0,
    "brief": 0.15,
    "crowded": 0.5,
    "flanked": 0.4,
}
"""What the article trees are trained on, and each variant's weight: brief, crowded and flanked
pages are rarer than their number here."""

OTHER_VARIANTS = ("as it is", "aged")
KIND_VARIANTS = ("as it is", "aged", "commented", "aged and commented")
"""What the trees for the kind are trained on: old blogs have both few names and long threads of
comments."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """What training uses of a page or its variant: drawn rows, and the page's own row."""

    site: str
    kind: str
    columns: tuple[str, ...]
    rows: npt.NDArray[np.float32]
    content: npt.NDArray[np.bool_]
    weights: Floats
    page_columns: tuple[str, ...]
    page_row: npt.NDArray[np.float32]
    variant: Variant


def main(output: str | None = None) -> None:
    """Cross-validate, score on the other sets, and write the model to `output`, if any."""
    folder = Path(os.environ.get("FOREST_BENCH", ""))
    if not (folder / f"{SOURCE}.jsonl.gz").is_file():
        print(f"skipped: there is no {SOURCE}.jsonl.gz in the folder that FOREST_BENCH names")
        return
    pages = list(read_pages(folder / f"{SOURCE}.jsonl.gz"))
    examples = make_examples(pages)
    print_validation(pages, examples)
    record = train(examples, {"pages": len(pages), "sites": len({page.site for page in pages})})
    print_other_sets(folder, read_model(record))
    if output:
        Path(output).write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")


def make_examples(pages: Sequence[LabelledPage]) -> list[Example]:
    """Make examples of all pages and their variants.

    Each page is used as it is and aged; pages other than forums and listings also with comments;
    articles also brief, crowded and flanked.
    """
    make = partial(page_examples, texts=comment_texts(pages), stories=story_texts(pages))
    with ProcessPoolExecutor(WORKERS) as pool:
        return [example for made in pool.map(make, pages, chunksize=8) for example in made]


def comment_texts(pages: Iterable[LabelledPage]) -> list[str]:
    """List lines of forum posts, and some of articles, for comments."""
    chance, found = random.Random(5), []
    for page in pages:
        share = {"forum": 1.0, "article": 0.05}.get(page.kind or "", 0.0)
        lines = (page.gold or "").split("\n") if share else []
        fitting = [line.strip() for line in lines if 3 <= len(line.split()) <= 150]
        found += [line for line in fitting if chance.random() < share]
    return found


def story_texts(pages: Iterable[LabelledPage]) -> list[list[str]]:
    """List the paragraphs of articles that are long enough to be added to others."""
    golds = [page.gold or "" for page in pages if page.kind == "article"]
    found = [[x.strip() for x in gold.split("\n") if 8 <= len(x.split()) <= 200] for gold in golds]
    return [story for story in found if len(story) >= 4]


def page_examples(
    page: LabelledPage, texts: Sequence[str], stories: Sequence[Sequence[str]]
) -> list[Example]:
    """Make examples of a page and its variants; none if it has no text."""
    chance = random.Random(page.id)
    try:
        tree = parse_page(page.source)
    except EmptyPageError:
        return []
    blocks = divide_blocks(tree)
    if not len(blocks):
        return []
    made = [tree, age_page(tree, chance)]
    is_content = label_blocks(blocks, page.gold or "").is_content
    may_have_comments = page.kind not in ("forum", "listing", "collection")
    if may_have_comments and (commented := graft_comments(tree, is_content, texts, chance)):
        made.append(commented)
    examples = [
        _make_example(page, each, variant, chance)
        for variant, each in zip(get_args(Variant), made, strict=False)
    ]
    if len(made) > 2:
        examples += _further_examples(page, tree, is_content, texts, stories)
    return examples


def _further_examples(
    page: LabelledPage,
    tree: PageTree,
    is_content: Mask,
    texts: Sequence[str],
    stories: Sequence[Sequence[str]],
) -> list[Example]:
    """Make further variants of a page that can have comments."""
    chance = random.Random(page.id + "both")
    commented = graft_comments(tree, is_content, texts, chance)
    assert commented is not None
    examples = [
        _make_example(page, age_page(commented, chance), "aged and commented", chance),
    ]
    if page.kind == "article":
        brief = cut_to_brief(tree, is_content, texts, random.Random(page.id + "brief"))
        crowded = crowd_page(tree, is_content, stories, random.Random(page.id + "crowded"))
        assert brief is not None
        assert crowded is not None
        examples.append(_make_example(page, brief, "brief", chance))
        examples.append(_make_example(page, crowded, "crowded", chance))
        flanked = flank_page(tree, is_content, stories, random.Random(page.id + "flanked"))
        assert flanked is not None
        examples.append(_make_example(page, flanked, "flanked", chance))
    return examples


def _make_example(
    page: LabelledPage, tree: PageTree, variant: Variant, chance: random.Random
) -> Example:
    features = features_of(divide_blocks(tree), tree)
    labels = label_blocks(features.layout.blocks, page.gold or "")
    odds = np.minimum(1, labels.weights * ROWS_PER_PAGE / max(labels.weights.sum(), 1e-9))
    drawn = np.array([chance.random() < each for each in odds.tolist()], dtype=bool)
    page_columns, page_row = summarise_page(features)
    return Example(
        page.site,
        page.kind or "",
        features.columns,
        features.rows[drawn],
        labels.is_content[drawn],
        (labels.weights / np.maximum(odds, 1e-9))[drawn],
        page_columns,
        page_row,
        variant,
    )


def features_of(blocks: Blocks, tree: PageTree) -> Features:
    """Compute the features of a page's blocks."""
    return compute_features(measure_layout(blocks), read_statement(tree))


def train(examples: Sequence[Example], counts: dict[str, int]) -> ModelRecord:
    """Fit the ensembles; the record says what they were trained on."""
    every = list(examples[0].columns)
    own = [n for n in every if not n.startswith(PAGE_COLUMNS) and n not in THREAD_COLUMNS]
    source: dict[str, object] = {
        "data": CREDIT,
        **counts,
        "examples": len(examples),
        "blocks": sum(len(example.rows) for example in examples),
        "versions": {"scikit-learn": sklearn.__version__, "numpy": np.__version__},
    }
    for_kind = [e for e in examples if e.variant in KIND_VARIANTS]
    return {
        "source": source,
        "kind": _fit_kind(for_kind, [e.kind != "article" for e in for_kind], KIND_TREES),
        "forum": _fit_kind(for_kind, [e.kind == "forum" for e in for_kind], FORUM_TREES),
        "article": _fit_blocks(_pick_articles(examples), own, ARTICLE_TREES),
        "other": _fit_blocks(
            [e for e in examples if e.variant in OTHER_VARIANTS], every, OTHER_TREES
        ),
    }


def _pick_articles(examples: Sequence[Example]) -> list[Example]:
    """Pick the variants that the article trees are trained on, with their weights."""
    return [
        replace(example, weights=example.weights * share)
        for example in examples
        if example.kind == "article" and (share := ARTICLE_VARIANTS.get(example.variant))
    ]


def _fit_blocks(
    examples: Sequence[Example], columns: list[str], trees: Mapping[str, float]
) -> TreesRecord:
    indices = [examples[0].columns.index(name) for name in columns]
    model = HistGradientBoostingClassifier(
        **trees,
        l2_regularization=5.0,
        min_samples_leaf=100,
        max_bins=63,
        early_stopping=False,
        random_state=0,
    )
    model.fit(
        np.concatenate([example.rows[:, indices] for example in examples]),
        np.concatenate([example.content for example in examples]),
        sample_weight=300 * np.concatenate([example.weights for example in examples]),
    )
    return record_trees(model, columns)


def _fit_kind(
    examples: Sequence[Example], labels: Sequence[bool], trees: Mapping[str, float]
) -> TreesRecord:
    model = HistGradientBoostingClassifier(
        **trees,
        l2_regularization=5.0,
        min_samples_leaf=20,
        early_stopping=False,
        random_state=0,
    )
    rows = np.stack([example.page_row for example in examples])
    model.fit(rows, np.array(labels))
    return record_trees(model, list(examples[0].page_columns))


def print_validation(pages: Sequence[LabelledPage], examples: Sequence[Example]) -> None:
    """Print F1 by kind, on pages of sites that were not trained on."""
    scores: list[tuple[str, float]] = []
    folds = GroupKFold(FOLDS).split(pages, groups=[page.site for page in pages])
    for _, held_out in folds:
        left_out = [pages[i] for i in held_out]
        sites = {page.site for page in left_out}
        model = read_model(train([e for e in examples if e.site not in sites], {}))
        kinds = [page.kind or "" for page in left_out]
        scores += zip(kinds, score_pages(left_out, model), strict=True)
    for kind in sorted({kind for kind, _ in scores}):
        print(f"{SOURCE} {kind:15} {100 * fmean(s for k, s in scores if k == kind):.1f}")
    print(f"{SOURCE} {'all':15} {100 * fmean(score for _, score in scores):.1f}", flush=True)


def print_other_sets(folder: Path, model: PageModel) -> None:
    """Print F1 on the sets that are never trained on."""
    for name in OTHER_SETS:
        path = folder / f"{name}.jsonl.gz"
        if path.is_file():
            scores = score_pages(list(read_pages(path)), model)
            print(f"{name:20} {100 * fmean(scores):.1f}", flush=True)


def score_pages(pages: Sequence[LabelledPage], model: PageModel) -> list[float]:
    """Compute the F1 of each page's chosen blocks."""
    score: Callable[[LabelledPage], float] = partial(_score_page, model=model)
    with ProcessPoolExecutor(WORKERS) as pool:
        return list(pool.map(score, pages, chunksize=16))


def _score_page(page: LabelledPage, model: PageModel) -> float:
    text = ""
    try:
        tree = parse_page(page.source)
    except EmptyPageError:
        return bigram_score(page.gold or "", text).f1
    scored = judge_positions(score_features(features_of(divide_blocks(tree), tree), model))
    chosen = choose_blocks(scored)
    blocks = scored.features.layout.blocks
    text = "\n".join(blocks.texts[i] for i in np.flatnonzero(chosen).tolist())
    return bigram_score(page.gold or "", text).f1


if __name__ == "__main__":
    main(*sys.argv[1:2])
