"""Write sites as test packages: a description file, and three files per document."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .feed import render_feed
from .gold import describe_gold
from .page import gold_lines, is_fragmented, render_home, render_page, render_twin
from .parts import Article
from .site import Site

Files = Mapping[str, bytes]  # path below `data/sites` → content


def build_packages(sites: Iterable[Site]) -> Files:
    """Return the content of every file of every package."""
    return {f"{site.name}/{name}": data for site in sites for name, data in _build(site)}


def write_packages(files: Files, root: Path) -> None:
    """Write these files below `root`, and delete all others there."""
    for path in _existing(root) - files.keys():
        (root / path).unlink()
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def find_differences(files: Files, root: Path) -> list[str]:
    """Report per path how the tree below `root` differs from these files."""
    existing = _existing(root)
    lines = [f"not generated: {path}" for path in sorted(existing - files.keys())]
    for path, data in sorted(files.items()):
        if path not in existing:
            lines.append(f"missing: {path}")
        elif (root / path).read_bytes() != data:
            lines.append(f"differs: {path}")
    return lines


def _existing(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def _build(site: Site) -> Iterator[tuple[str, bytes]]:
    yield "package.json", _to_json(_describe(site))
    yield "index.html", render_home(site).encode(site.encoding)
    yield "feed.xml", render_feed(site)
    for article in site.articles:
        yield from _document(site, article, article.doc, render_page(site, article))
        if article.doc in site.twins:
            yield from _document(site, article, f"{article.doc}-amp", render_twin(site, article))


def _document(site: Site, article: Article, doc: str, page: str) -> Iterator[tuple[str, bytes]]:
    facts = _metadata(site, article)
    if doc != article.doc:
        facts["url"] = f"{facts['url']}amp/"
        facts["twin_of"] = article.doc
    if site.gold == "body":
        facts |= describe_gold(site, article, page)
    yield f"{doc}.html", page.encode(site.encoding)
    yield f"{doc}.txt", ("\n".join(gold_lines(site, article)) + "\n").encode()
    yield f"{doc}.json", _to_json(facts)


def _describe(site: Site) -> dict[str, object]:
    return {
        "name": site.name,
        "description": site.description,
        "url": site.url,
        "language": site.language,
        "encoding": site.encoding,
        "feed": "feed.xml",
        "home": "index.html",
        "difficulties": list(site.difficulties),
    }


def _metadata(site: Site, article: Article) -> dict[str, object]:
    facts: dict[str, object] = {
        "url": site.article_url(article),
        "language": site.language,
        "fragmented": is_fragmented(site, article),
        "multiple": False,
        "title": article.title,
        "author": site.joiner.join(article.authors) or None,
        "date": article.date.isoformat(),
        "tags": list(article.tags),
    }
    if article.template:
        facts["template"] = article.template
    return facts


def _to_json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
