"""The benchmark of required and forbidden snippets."""

import gzip
import json
from pathlib import Path

from benchmarks.snippets import Count, SnippetPage, count_snippets, read_snippets


def page(*required: str, forbidden: tuple[str, ...] = (), kind: str = "article") -> SnippetPage:
    return SnippetPage(kind, None, "<p>", "", required, forbidden)


def test_a_required_snippet_is_compared_as_words() -> None:
    count = Count()
    count.add(page("The ferry – returns!", "the ferry sinks"), "On Monday the ferry returns.")
    assert (count.kept, count.required) == (1, 2)


def test_a_word_does_not_match_a_part_of_another() -> None:
    count = Count()
    count.add(page("the fer"), "the ferry")
    assert count.kept == 0


def test_a_short_forbidden_snippet_counts_as_a_line() -> None:
    count = Count()
    count.add(page(forbidden=("Home", "Log in")), "She went home.\nLog in")
    assert (count.absent, count.forbidden) == (1, 2)


def test_a_long_forbidden_snippet_counts_anywhere() -> None:
    count = Count()
    count.add(page(forbidden=("sign up for our newsletter",)), "Well: sign up for our newsletter!")
    assert count.absent == 0


def test_kinds_are_counted_apart_and_together() -> None:
    pages = [page("a b"), page("a c", kind="forum")]
    found = count_snippets(pages, lambda page: "a b")
    assert {kind: (size, it.kept, it.required) for kind, (size, it) in found.items()} == {
        "all": (2, 1, 2),
        "article": (1, 1, 1),
        "forum": (1, 0, 1),
    }


def test_pages_are_read_without_empty_snippets(tmp_path: Path) -> None:
    row = {
        "kind": "article",
        "html": "<p>",
        "gold": "A cat",
        "must": ["A cat", "…"],
        "mustnot": None,
    }
    path = tmp_path / "set.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(row).encode()))
    (found,) = read_snippets(path)
    assert (found.required, found.forbidden) == (("A cat",), ())
