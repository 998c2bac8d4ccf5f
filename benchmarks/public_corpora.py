"""Measure on the benchmarks of others, with their own scripts.

`python -m benchmarks.public_corpora --articles DIR --trafilatura DIR` reads checkouts of
scrapinghub/article-extraction-benchmark, 181 articles, of which 4-word shingles are compared, and
adbar/trafilatura, 990 pages with snippets that the text must have and that it must not have.

Each prints a table with a row per method. Their pages stay in their checkouts, and no weights
of ours were trained on them. What is scored is what users get: the text of `forest page`, with its
captions and without, and the text of other extractors as in `forest evaluate`.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from forest_crawler.article.article import ArticleSource, make_article
from forest_crawler.article.content.forms import FormOptions
from forest_crawler.errors import EmptyPageError
from forest_crawler.evaluation.peers.registry import get_peer
from forest_crawler.extraction.extraction import FALLBACK, extract
from forest_crawler.extraction.stated_text import prefer_stated
from forest_crawler.page.encoding import decode_page
from forest_crawler.page.tree import parse_page

Reader: TypeAlias = Callable[[bytes, str], str]
"""What makes a text of a page's source and its URL."""

WITHOUT_CAPTIONS = "forest page --no-captions"
METHODS = (
    "forest page", WITHOUT_CAPTIONS,
    "trafilatura", "trafilatura-fast", "newspaper4k", "readability-lxml", "goose3", "resiliparse",
)  # fmt: skip

SAMPLES = 1000
"""Samples of the pages, drawn with replacement, for the deviation of F1."""


def main(argv: Sequence[str] | None = None) -> None:
    """Print a table for each checkout that is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=Path, metavar="DIR")
    parser.add_argument("--trafilatura", type=Path, metavar="DIR")
    parser.add_argument("methods", nargs="*", metavar="METHOD")
    options = parser.parse_args(argv)
    methods = options.methods or METHODS
    if options.articles:
        print("| | F1 | precision | recall |\n|---|---|---|---|")
        for line in score_articles(options.articles, methods):
            print(line, flush=True)
    if options.trafilatura:
        print("| | F1 | precision | recall | accuracy |\n|---|---|---|---|---|")
        for line in score_snippets(options.trafilatura, methods):
            print(line, flush=True)
    if not (options.articles or options.trafilatura):
        print("skipped: neither --articles nor --trafilatura names a checkout", file=sys.stderr)


def score_articles(checkout: Path, methods: Sequence[str]) -> Iterator[str]:
    """Yield a row per method, scored by the benchmark's `evaluate.py`."""
    script = load_script(checkout / "evaluate.py")
    gold = script.load_json(checkout / "ground-truth.json")
    pages = {key: _unzip(checkout / "html" / f"{key}.html.gz") for key in gold}
    for name in methods:
        read = find_reader(name)
        found = {key: {"articleBody": _try(read, pages[key], gold[key]["url"])} for key in gold}
        made = script.evaluate(gold, found, SAMPLES)
        spread = f"{made['f1']:.3f} ± {made['f1_std']:.3f}"
        yield f"| {name} | {spread} | {made['precision']:.3f} | {made['recall']:.3f} |"


def score_snippets(checkout: Path, methods: Sequence[str]) -> Iterator[str]:
    """Yield a row per method, scored by trafilatura's `eval_common.py`."""
    tests = checkout / "tests"
    script = load_script(tests / "eval_common.py")
    labels = script.load_evaldata(str(tests))
    pages = script.read_corpus(str(tests), labels)
    for name in methods:
        read, matrix = find_reader(name), script.ConfusionMatrix()
        for url, label in labels.items():
            matrix.add(script.count_item(label, _try(read, pages[url][1], url)))
        precision, recall, accuracy, f1 = matrix.scores()
        yield f"| {name} | {f1:.3f} | {precision:.3f} | {recall:.3f} | {accuracy:.3f} |"


def find_reader(name: str) -> Reader:
    """Find what a method's name stands for."""
    if name.startswith("forest page"):
        forms = FormOptions(captions=name != WITHOUT_CAPTIONS)
        return lambda source, url: read_text(source, url, forms)
    peer = get_peer(name)
    peer.version()  # raises an error if it isn't installed
    return lambda source, url: peer.extract_text(decode_page(source)[1], url)


def read_text(source: bytes, url: str, forms: FormOptions) -> str:
    """Make the text of `forest page`: one page, without a wrapper or a feed."""
    tree = parse_page(source, url=url)
    found = extract(tree, (), FALLBACK)
    found = prefer_stated(found, tree) or found
    return make_article(tree, found, ArticleSource(url=url), options=forms).text or ""


def load_script(path: Path) -> ModuleType:
    """Import a script from its file."""
    spec = importlib.util.spec_from_file_location(f"public_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        sys.exit(f"{path} is missing: is this a checkout of the benchmark?")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look there
    try:
        spec.loader.exec_module(module)
    except ImportError as err:
        sys.exit(f"{path} needs a package: {err}; install the extra `bench`")
    return module


def _try(read: Reader, source: bytes, url: str) -> str:
    """Read a page; one that has no element, or on which another extractor fails, has no text."""
    try:
        return read(source, url)
    except EmptyPageError:
        return ""
    except Exception as err:
        print(f"{url}: {err!r}", file=sys.stderr)
        return ""


def _unzip(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes())


if __name__ == "__main__":
    main()
