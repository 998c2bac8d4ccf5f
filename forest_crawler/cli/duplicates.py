"""`forest duplicates`: find archived articles with nearly the same text."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

from forest_crawler.cli._messages import count, say
from forest_crawler.cli._store import open_existing_store, store_option
from forest_crawler.cli._terminal import echo_data
from forest_crawler.store import Store
from forest_crawler.store.article_lines import read_article
from forest_crawler.text.near_duplicates import find_duplicates, sketch_similarity, sketch_text

_BATCH = 500  # articles that are read at a time


@click.command()
@store_option
def command(store: str) -> None:
    """List archived articles that repeat an earlier one.

    Prints a JSON line per article: its `id` and `url`, `duplicate_of` and `duplicate_url` of the
    first article with this text, and `likeness`, the similarity of the two from 0 to 1. Nothing is
    removed from the archive.

    Exit codes: 0 done, 2 wrong usage or no such store, 4 store trouble.
    """
    urls: dict[str, str | None] = {}
    sketches: dict[str, tuple[int, ...]] = {}
    with open_existing_store(store) as opened:
        for name, url, text in _articles(opened):
            urls[name], sketches[name] = url, sketch_text(text)
    found = find_duplicates(sketches)
    for name, first in found.items():
        row = {
            "id": name,
            "url": urls[name],
            "duplicate_of": first,
            "duplicate_url": urls[first],
            "likeness": round(sketch_similarity(sketches[name], sketches[first]), 3),
        }
        echo_data(json.dumps(row, ensure_ascii=True) + "\n")
    say(f"{len(found)} of {count(len(sketches), 'article')} repeat an earlier one")


def _articles(store: Store) -> Iterator[tuple[str, str | None, str]]:
    seq = 0
    while lines := store.lines_after(seq, _BATCH):
        for seq, line in lines:
            row = read_article(line, seq, store.name)
            yield str(row.get("id")), row.get("url"), str(row.get("text") or "")
