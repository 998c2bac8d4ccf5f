"""Write sites as test packages: a description file, and three files per document."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .feed import render_feed
from .page import is_fragmented, render_home, render_page, write_gold
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
        yield f"{article.doc}.html", render_page(site, article).encode(site.encoding)
        yield f"{article.doc}.txt", write_gold(article).encode()
        yield f"{article.doc}.json", _to_json(_metadata(site, article))


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
        "author": article.author,
        "date": article.date.isoformat(),
        "tags": list(article.tags),
    }
    if article.template:
        facts["template"] = article.template
    return facts


def _to_json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
