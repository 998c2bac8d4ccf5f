"""The crawl's induction job derives its wrappers with the Forest ranker."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forest_crawler.crawl.induction_job import induce_site
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.store.records import HeldPage

STAGES = {
    "weigh_sample": "forest_crawler.induction.forest.weigh_sample",
    "locate_signifiers": "forest_crawler.induction.forest.locate_signifiers",
    "rank_locators": "forest_crawler.induction.fitting.rank_locators",
    "signifier_density": "forest_crawler.induction.ranking.signifier_density",
    "unexpectedness": "forest_crawler.induction.ranking.unexpectedness",
}


def held_pages(site: Path) -> list[HeldPage]:
    return [
        HeldPage(
            key=page.id,
            url=page.url or "",
            site=site.name,
            status=200,
            content_type="text/html; charset=utf-8",
            body=page.source if isinstance(page.source, bytes) else page.source.encode(),
            fetched_at=0.0,
            entry=None,
            feed_url=None,
            guid=None,
        )
        for page in list(read_pages(site))[:10]
    ]


@pytest.mark.parametrize("site", bundled_sites(), ids=lambda path: path.name)
def test_every_site_goes_through_signifiers_patterns_and_ranking(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()
    for name, path in STAGES.items():
        module, _, attribute = path.rpartition(".")
        original = getattr(__import__(module, fromlist=[attribute]), attribute)

        def count(
            *arguments: Any, _name: str = name, _original: Any = original, **more: Any
        ) -> Any:
            calls[_name] += 1
            return _original(*arguments, **more)

        monkeypatch.setattr(path, count)
    found = induce_site(site.name, held_pages(site))
    assert found.wrappers
    assert set(calls) == set(STAGES)
    assert calls["locate_signifiers"] == found.articles
    assert all(wrapper.relevance > 0 for wrapper in found.wrappers)
    assert all(wrapper.signifiers for wrapper in found.wrappers)


@pytest.mark.parametrize("method", ["forest-paper", "coverage"])
def test_another_method_can_be_crawled_with(method: str) -> None:
    site = next(path for path in bundled_sites() if path.name == "harbour-gazette")
    (wrapper,) = induce_site(site.name, held_pages(site), method=method).wrappers
    assert (wrapper.method, wrapper.form) == (method, "dfs")


def test_refused_pages_are_left_to_extraction() -> None:
    site = bundled_sites()[0]
    refused = replace(held_pages(site)[0], key="refused", status=403, body=b"")
    found = induce_site(site.name, [*held_pages(site), refused])
    assert found.wrappers
    assert "refused" not in found.without
