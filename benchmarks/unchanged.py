"""Show whether a change of the code changes articles, wrappers or scores.

`python -m benchmarks.unchanged write FILE [--step N]` writes a line per page: digests of the
article and the text that the site's wrappers give, of `page`'s text, and the F1 of both; and a line
per site with a digest of its wrappers. Bundled sites come with their whole articles, then every Nth
site of the labelled sets. `python -m benchmarks.unchanged compare OLD NEW` says what differs, and
ends with 1 if an article of a bundled site differs, or the F1 of a set by more than 0.05 points.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.bench_data import find_set
from forest_crawler import (
    ArticleSource,
    ForestError,
    SamplePage,
    dump_wrappers,
    extract,
    induce,
    make_article,
    parse_page,
)
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.extraction.extraction import Extraction

SETS = ("big9", "l3s-gn1", "dragnet", "chaos", "waddle", "cleaneval", "wcxb")
BUNDLED = "bundled"
MAX_SAMPLE = 10
MAX_CHANGE = 0.05


def main(words: Sequence[str]) -> int:
    """Write or compare records."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unchanged", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write")
    write.add_argument("file", type=Path)
    write.add_argument("--step", type=int, default=1, help="every Nth site of each set")
    write.add_argument("--sets", nargs="*", default=SETS)
    compare = commands.add_parser("compare")
    compare.add_argument("old", type=Path)
    compare.add_argument("new", type=Path)
    arguments = parser.parse_args(words)
    if arguments.command == "compare":
        return _compare(_read(arguments.old), _read(arguments.new))
    with arguments.file.open("w", encoding="utf-8") as file:
        for record in _records(arguments.sets, arguments.step):
            file.write(json.dumps(record) + "\n")
    return 0


def _records(sets: Sequence[str], step: int) -> Iterator[dict[str, Any]]:
    for path in bundled_sites():
        yield from _site_records(BUNDLED, list(read_pages(path)), with_articles=True)
    for name in sets:
        file = find_set(name)
        for pages in _group(read_pages(file))[::step] if file else ():
            yield from _site_records(name, pages, with_articles=False)


def _group(pages: Iterable[LabelledPage]) -> list[list[LabelledPage]]:
    sites: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in pages:
        sites[page.site].append(page)
    return list(sites.values())


def _site_records(
    name: str, pages: Sequence[LabelledPage], *, with_articles: bool
) -> Iterator[dict[str, Any]]:
    trees = [(page, tree) for page in pages if (tree := _parse(page)) is not None]
    sample = [SamplePage(tree, page.entry) for page, tree in trees[:MAX_SAMPLE]]
    wrappers = induce(sample, site="bench") if len(sample) > 1 else []
    rules = dump_wrappers(wrappers)
    yield {"key": f"{name} {pages[0].site} wrappers", "digest": _digest(rules)}
    for page, tree in trees:
        source = ArticleSource(url=page.url, entry=page.entry)
        found, alone = extract(tree, wrappers, "page"), extract(tree, [], "page")
        article = make_article(tree, found, source).line()
        yield {
            "key": f"{name} {page.site} {page.id}",
            "set": name,
            "article": article if with_articles else _digest(article),
            "text": _digest(found.selection.text),
            "page": _digest(alone.selection.text),
            "f1": _f1(page, found),
            "page_f1": _f1(page, alone),
        }


def _parse(page: LabelledPage) -> Any:
    try:
        return parse_page(page.source, url=page.url)
    except ForestError:
        return None


def _f1(page: LabelledPage, found: Extraction) -> float:
    return bigram_score(page.gold, found.selection.text).f1 if page.gold else 0.0


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _read(file: Path) -> dict[str, dict[str, Any]]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return {record["key"]: record for record in map(json.loads, lines)}


def _compare(old: dict[str, dict[str, Any]], new: dict[str, dict[str, Any]]) -> int:
    common = [key for key in old if key in new]
    print(
        f"{len(common)} records in both, {len(old) - len(common)} only in the old file, "
        f"{len(new) - len(common)} only in the new one"
    )
    is_changed = False
    for field in ("digest", "text", "article", "page"):
        changed = [key for key in common if old[key].get(field) != new[key].get(field)]
        print(f"{field}: {len(changed)} differ", *changed[:8], sep="\n    ")
        is_changed |= field == "article" and any(key.startswith(BUNDLED) for key in changed)
    for field in ("f1", "page_f1"):
        for name in dict.fromkeys(record["set"] for record in old.values() if "set" in record):
            pairs = [(old[k][field], new[k][field]) for k in common if old[k].get("set") == name]
            if not pairs:
                continue
            before, after = (100 * sum(values) / len(pairs) for values in zip(*pairs, strict=True))
            print(f"{name} {field}: {before:.2f} → {after:.2f}")
            is_changed |= abs(after - before) > MAX_CHANGE
    return int(is_changed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
