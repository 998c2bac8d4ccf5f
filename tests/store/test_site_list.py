"""What the studio's list of sites reads from the store."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from forest_crawler.store import FetchedPage, NewArticle, open_store
from forest_crawler.store.studio_store import read_studio_store
from tests.support.store_builders import candidate

SITE = "gazette.example"


def archive(url: str, agreements: Sequence[float | None]) -> None:
    """Archive an article of each agreement, in this order."""
    with open_store(url) as store:
        store.begin_run()
        store.schedule([candidate(f"{number:02}") for number in range(len(agreements))])
        for lease, agreement in zip(store.lease(len(agreements)), agreements, strict=True):
            store.hold([FetchedPage(lease.key, b"<p>Rain</p>")])
            line = json.dumps({"agreement": agreement})
            key = lease.key
            store.archive([NewArticle(key, key, SITE, "u", "wrapper", 1, key, line)])
        store.end_run()


@pytest.mark.parametrize(
    ("agreements", "expected"),
    [
        pytest.param([0.1, 0.6, None, None, 0.8, None], 0.7, id="the latest five"),
        pytest.param([0.1, 0.2, 0.4, *[None] * 13], 0.3, id="the next ten, if none was checked"),
        pytest.param([0.1, 0.5, *[None] * 33], 0.3, id="the next twenty"),
        pytest.param([0.1, *[None] * 35], None, id="no further back"),
        pytest.param([None, None], None, id="none was checked"),
    ],
)
def test_agreement_is_that_of_the_latest_articles_that_were_checked(
    store_url: str, agreements: Sequence[float | None], expected: float | None
) -> None:
    archive(store_url, agreements)
    with read_studio_store(store_url) as store:
        assert store.recent_agreement(SITE) == pytest.approx(expected)
