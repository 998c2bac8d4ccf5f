"""Near-duplicates: both are archived, and the later one names the first."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from forest_crawler.store import NewArticle, Store, open_store
from forest_crawler.store import sketches as sketch_section
from forest_crawler.text.near_duplicates import sketch_bands, sketch_text
from tests.support.store_builders import article, fetch, schedule

WORDS = [f"word{i}" for i in range(2000)]


def words(seed: int, length: int = 400) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=length))  # noqa: S311


AGENCY = words(1)
FRAMED = f"Our own headline. {AGENCY} Read on here."


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with open_store(store_url) as opened:
        yield opened


def new_article(name: str, text: str) -> NewArticle:
    line = json.dumps({"id": name, "text": text, "near_duplicate_of": None})
    made = article(f"gazette.example/{name}", name)
    return replace(made, line=line, sketch=sketch_text(text))


def archive(store: Store, texts: dict[str, str], together: bool) -> None:
    schedule(store, list(texts))
    fetch(store)
    new = [new_article(name, text) for name, text in texts.items()]
    for step in [new] if together else [[one] for one in new]:
        store.archive(step)


def marks(store: Store) -> dict[str, str | None]:
    rows = [json.loads(line) for line in reversed(store.articles())]
    return {row["id"]: row["near_duplicate_of"] for row in rows}


@pytest.mark.parametrize("together", [True, False], ids=["one-step", "step-by-step"])
def test_the_later_of_two_near_duplicates_names_the_first_and_both_are_archived(
    store: Store, together: bool
) -> None:
    texts = {"a": AGENCY, "b": words(2), "c": FRAMED, "d": AGENCY}
    archive(store, texts, together)
    assert marks(store) == {"a": None, "b": None, "c": "a", "d": "a"}
    assert json.loads(store.articles()[0])["text"] == AGENCY


def test_short_texts_are_never_marked(store: Store) -> None:
    archive(store, {"a": "No news today.", "b": "No news today."}, together=True)
    assert marks(store) == {"a": None, "b": None}


def test_a_near_duplicate_is_found_in_a_later_run(store_url: str) -> None:
    for name in "ab":
        with open_store(store_url) as store:
            archive(store, {name: AGENCY}, together=True)
            found = marks(store)
    assert found == {"a": None, "b": "a"}


def test_a_band_has_at_most_max_sharing_texts(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Half of each text is the same notice. A number of the sketch comes from the notice in every
    # second text, so a band of three numbers does in every eighth.
    monkeypatch.setattr(sketch_section, "MAX_SHARING", 3)
    texts = {f"t{n}": f"{words(0, 200)} {words(n + 10, 200)}" for n in range(60)}
    shared = Counter(band for text in texts.values() for band in sketch_bands(sketch_text(text)))
    assert max(shared.values()) > 3
    archive(store, texts, together=False)
    with store._database.reading() as connection:
        rows = connection.execute(sketch_section._SHARED, {"bands": sorted(shared)}).all()
    assert max(Counter(row.band for row in rows).values()) == 3
