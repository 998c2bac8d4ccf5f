"""The runner scores pages in worker processes, and no page can stop a run."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest

from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.errors import UnknownNameError
from forest_crawler.evaluation.results import EvaluationResult, PageResult, Protocol, RunResult
from forest_crawler.evaluation.runner import EvaluationOptions, evaluate
from forest_crawler.evaluation.score import PERFECT, ZERO, Score
from forest_crawler.evaluation.sets import PageSet
from forest_crawler.extraction.methods import registry
from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.selection import Selection, select_elements
from forest_crawler.page.tree import PageTree
from tests.support.waiting import HANG

OPTIONS = EvaluationOptions(jobs=2)
HASTY = EvaluationOptions(jobs=2, timeout=1.0, grace=HANG)
"""A limit that a good page meets even on a busy machine."""
KILLING = EvaluationOptions(jobs=2, timeout=0.5, grace=1.0)
"""Limits after which a worker is killed quickly: 3 × 0.5 s per page, and the grace."""
FILLER = (
    "Early morning rain kept nobody away, said Jane Miller, who has walked along that street for "
    "twenty years and knows each stone, each tree and every neighbour between bridge and church."
)
TOPICS = "ferry bakery lighthouse library museum harbour".split()


class Misbehaving:
    """Misbehaves on pages that say so, and selects the body of all others."""

    def __init__(self, misbehave: Callable[[], object]) -> None:
        self.misbehave = misbehave

    def extract(self, tree: PageTree) -> Selection:
        if "misbehave" in (tree.body.get("class") or ""):
            self.misbehave()
        return select_elements(tree, [tree.body])


def fail() -> None:
    raise ValueError("cannot read this")


def sleep_long() -> None:
    time.sleep(600)


def swallow_the_alarm() -> None:
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        with suppress(BaseException):
            time.sleep(1.5)


def block_in_c() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(600)


def kill_the_worker() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def misbehaving(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], str]:
    def add(misbehave: Callable[[], object]) -> str:
        registry.extractor_names()  # imports our own methods first
        monkeypatch.setitem(registry._registered, "misbehaving", Misbehaving(misbehave))
        return "misbehaving"

    return add


def page(
    name: str, text: str = "one two three", *, site: str = "s", bad: bool = False
) -> LabelledPage:
    attribute = " class=misbehave" if bad else ""
    return LabelledPage(name, site, None, f"<body{attribute}><p>{text}", gold=text)


def article(number: int, site: str = "gazette", entry: FeedEntry | None = None) -> LabelledPage:
    topic = TOPICS[number]
    # More words than signifiers: otherwise every word is one, and no pattern stands out.
    story = f"The {topic} opens. {FILLER} Visitors of the {topic} were glad about the {topic}."
    source = (
        f"<title>The {topic}</title><div id=menu>Home News Contact Weather Sports Letters</div>"
        f"<div class=story><p>{story}</p></div><div id=foot>All rights reserved since then</div>"
    )
    return LabelledPage(f"{site}-{number}", site, None, source, gold=story, entry=entry)


def run(pages: list[LabelledPage], method: str, options: EvaluationOptions = OPTIONS) -> RunResult:
    (result,) = evaluate([PageSet("set", tuple(pages))], [method], options).runs
    return result


def f1s(result: RunResult) -> list[float]:
    return [page.scores["bigrams"].f1 for page in result.pages]


def test_pages_are_scored_in_the_order_of_the_set() -> None:
    pages = [page("b", site="x"), page("z", site="y"), page("a", site="x")]
    result = run([*pages, replace(page("q"), gold="four five")], "plain")
    assert [page.id for page in result.pages] == ["b", "z", "a", "q"]
    assert f1s(result) == [1, 1, 1, 0]
    assert [page.text for page in result.pages] == ["one two three"] * 4
    assert (result.protocol, result.failures, result.sites) == ("page", {}, 3)


def test_every_measure_of_the_options_is_scored() -> None:
    options = replace(OPTIONS, measures=("set", "nodes"))
    (found,) = run([page("a")], "plain", options).pages
    assert found.scores == {"set": PERFECT, "nodes": PERFECT}


def test_size_and_time_are_measured() -> None:
    (found,) = run([page("a")], "plain").pages
    assert found.size == len("<body><p>one two three")
    assert found.seconds > 0


@pytest.mark.parametrize(
    ("misbehave", "options", "failure", "detail"),
    [
        pytest.param(fail, OPTIONS, "crash", "ValueError: cannot read this", id="error"),
        pytest.param(exit, OPTIONS, "crash", "SystemExit: None", id="exit"),
        pytest.param(kill_the_worker, OPTIONS, "crash", "Abnormal termination", id="killed"),
        pytest.param(sleep_long, HASTY, "timeout", "more than 1 s", id="slow"),
        pytest.param(swallow_the_alarm, HASTY, "timeout", "more than 1 s", id="stubborn"),
        pytest.param(block_in_c, KILLING, "timeout", "could not be interrupted", id="blocked"),
    ],
)
def test_a_failing_page_scores_zero_and_the_others_of_its_site_do_not(
    misbehaving: Callable[[Callable[[], object]], str],
    misbehave: Callable[[], object],
    options: EvaluationOptions,
    failure: str,
    detail: str,
) -> None:
    method = misbehaving(misbehave)
    result = run([page("a"), page("b", bad=True), page("c")], method, options)
    assert f1s(result) == [1, 0, 1]
    assert result.failures == {failure: 1}
    assert detail in (result.pages[1].detail or "")
    assert not result.broke_down


def test_a_failing_page_scores_zero_even_if_its_gold_is_empty(
    misbehaving: Callable[[Callable[[], object]], str],
) -> None:
    bad = replace(page("a", bad=True), gold="")
    result = run([bad], misbehaving(fail))
    assert result.pages[0].scores == {"bigrams": ZERO}
    assert result.broke_down


def test_a_page_without_a_tree_is_counted_and_scored_as_empty_text() -> None:
    blank = LabelledPage("a", "s", None, "<!-- -->", gold="wanted text")
    result = run([blank, replace(blank, id="b", gold="")], "plain")
    assert result.failures == {"no-tree": 2}
    assert f1s(result) == [0, 1]


def test_a_site_method_learns_from_the_sites_pages() -> None:
    result = run([article(i) for i in range(4)], "forest-paper")
    assert (f1s(result), result.protocol) == ([1, 1, 1, 1], "in-sample")


def test_a_site_method_is_applied_to_unseen_pages() -> None:
    options = replace(OPTIONS, protocols=("unseen",))
    result = run([article(i) for i in range(6)], "forest-paper", options)
    assert (f1s(result), result.protocol) == ([1] * 6, "unseen")


def test_sites_do_not_learn_from_each_other() -> None:
    pages = [article(0), article(1), article(0, "lonely"), article(2)]
    result = run(pages, "forest-paper")
    assert f1s(result) == [1, 1, 0, 1]
    assert result.pages[2].failure == "too-few-pages"


@pytest.mark.parametrize("protocol", ["page", "unseen"])
def test_a_site_method_without_a_sample_gives_empty_text_and_is_counted(protocol: Protocol) -> None:
    options = replace(OPTIONS, protocols=(protocol,))
    result = run([article(0)], "forest-paper", options)
    assert result.failures == {"too-few-pages": 1}
    assert result.pages[0].text == ""
    assert not result.broke_down


def test_a_blank_page_does_not_affect_the_others_of_its_site() -> None:
    blank = LabelledPage("blank", "gazette", None, "<!-- -->", gold="")
    result = run([article(0), blank, article(1)], "forest-paper")
    assert f1s(result) == [1, 1, 1]
    assert result.failures == {"no-tree": 1}


def test_the_study_of_pages_has_a_run_per_sample_size() -> None:
    options = replace(OPTIONS, study="pages")
    pages = PageSet("set", tuple(article(i) for i in range(3)))
    runs = evaluate([pages], ["plain", "forest-paper"], options).runs
    assert [dict(run.setting) for run in runs] == [{}, *({"pages": n} for n in range(1, 11))]
    assert runs[1].failures == {"too-few-pages": 3}  # one sample page
    assert f1s(runs[2]) == f1s(runs[10]) == [1, 1, 1]


def test_the_feeds_variant_learns_from_one_page_in_an_evaluation() -> None:
    result = run([article(0)], "forest-paper-feeds")
    assert result.failures == {}
    assert result.pages[0].text


def test_the_study_of_signifiers_varies_sigfeed() -> None:
    runs = evaluate(
        [PageSet("set", (article(0),))], ["sigfeed"], replace(OPTIONS, study="signifiers")
    ).runs
    assert [run.setting["signifiers"] for run in runs] == [1, 2, 3, 4, 5, 7, 10, 15, 20, 30]


def test_the_result_says_whether_an_entry_is_from_the_feed_or_from_metadata() -> None:
    entry = FeedEntry("Lighthouse opens", "Visitors were glad.")
    result = run([article(0, entry=entry), article(1)], "description")
    assert [page.text for page in result.pages] == [
        "Lighthouse opens\nVisitors were glad.",
        "The bakery",
    ]
    assert [page.entry for page in result.pages] == ["feed", "metadata"]
    assert result.entry_from_metadata


def test_a_program_is_a_method_and_gets_the_decoded_page() -> None:
    # The source is Latin-1 without a declaration; `cat` returns what it gets.
    latin = LabelledPage("a", "s", None, "<p>Café au lait".encode("latin-1"), gold="p Café au lait")
    result = run([latin], "cmd:cat")
    assert result.pages[0].text == "<p>Café au lait"
    assert (f1s(result), result.version) == ([1], None)


def test_a_program_that_does_not_end_times_out() -> None:
    result = run([page("a")], "cmd:sleep 600", replace(HASTY, timeout=0.3))
    assert result.failures == {"timeout": 1}


def test_a_program_that_fails_is_a_crash_with_its_exit_code() -> None:
    result = run([page("a")], "cmd:false")
    assert result.failures == {"crash": 1}
    assert "exit code 1" in (result.pages[0].detail or "")


def test_a_method_that_needs_no_entry_has_none_in_its_result() -> None:
    assert run([article(0)], "plain").pages[0].entry is None


def without_times(result: EvaluationResult) -> list[tuple[PageResult, ...]]:
    return [tuple(replace(page, seconds=0) for page in run.pages) for run in result.runs]


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    pages = [article(i, site) for site in ("x", "y", "z") for i in range(6)]
    sets = [PageSet("one", tuple(pages)), PageSet("two", tuple(pages[:8]))]
    options = EvaluationOptions(measures=("bigrams", "nodes"), protocols=("in-sample", "unseen"))
    results = [
        evaluate(sets, ["forest-paper", "plain"], replace(options, jobs=jobs)) for jobs in (1, 3)
    ]
    assert without_times(results[0]) == without_times(results[1])


def test_folds_do_not_depend_on_the_order_of_the_file() -> None:
    pages = [article(i) for i in range(5)]
    for i in (0, 2):  # a second template, so that it matters which pages are in a sample
        pages[i] = replace(pages[i], source=f"<div id=banner>Now</div>{pages[i].source!s}")
    options = replace(OPTIONS, protocols=("unseen",))
    there = run(pages, "forest-paper", options)
    turned = run([*pages[1:], pages[0]], "forest-paper", options)
    assert f1s(there) == [*f1s(turned)[-1:], *f1s(turned)[:-1]]


def test_progress_counts_pages_up_to_the_total() -> None:
    seen: list[tuple[int, int]] = []
    pages = PageSet("set", (page("a"), page("b"), page("c", site="other")))
    evaluate([pages], ["plain"], OPTIONS, lambda done, total: seen.append((done, total)))
    assert seen == [(2, 3), (3, 3)]


def test_unknown_names_are_refused_before_anything_runs() -> None:
    pages = PageSet("set", (page("a"),))
    with pytest.raises(UnknownNameError, match="method 'nonsense'"):
        evaluate([pages], ["plain", "nonsense"], OPTIONS)
    with pytest.raises(UnknownNameError, match="measure 'luck'"):
        evaluate([pages], ["plain"], replace(OPTIONS, measures=("luck",)))


def test_a_text_twice_as_long_as_the_gold_has_half_its_precision() -> None:
    # extracted 'one two', 'two three'; the gold has only 'one two'
    found = run([replace(page("a"), gold="one two")], "plain").pages[0]
    assert found.scores["bigrams"] == Score(1 / 2, 1, 2 / 3)
