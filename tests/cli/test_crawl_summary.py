"""What a crawl says at its end."""

from __future__ import annotations

from collections import Counter

import pytest

from forest_crawler.cli._crawl_display import say_sites
from forest_crawler.cli._crawl_run import _say_account


@pytest.mark.parametrize(
    ("output", "place"),
    [("a.jsonl", "a.jsonl"), ("-", "in the store"), ("", "in the store")],
    ids=["file", "stdout", "store"],
)
def test_numbers_of_all_runs_say_so(
    output: str, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    account = {"archived": 7, "skipped": {"duplicate": 2}, "failed": {"http-404": 1}}
    _say_account(account, {"forest/articles": 1}, output)
    assert capsys.readouterr().err.splitlines() == [
        f"forest: 1 new article, 7 in all: {place}",
        "forest: 2 pages skipped in all (duplicate: 2)",
        "forest: 1 page failed in all (http-404: 1)",
    ]


def test_sites_without_news_have_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    new, failed = Counter({"articles": 1}), Counter({"failed": 2})
    say_sites({"b.example": Counter(), "c.example": failed, "a.example": new})
    assert capsys.readouterr().err.splitlines() == [
        "forest: a.example: 1 article",
        "forest: c.example: 0 articles, 2 failed",
    ]
