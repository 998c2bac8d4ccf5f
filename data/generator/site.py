"""Read a site's folder in `data/parts`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .parts import Article, read_articles, read_sections


@dataclass(frozen=True, slots=True)
class Site:
    """All hand-written parts of one site."""

    name: str
    title: str
    tagline: str  # the site's own slogan, in its language
    description: str  # what the site is bundled for
    url: str
    language: str
    encoding: str
    feed_format: str
    feed_encoding: str
    path: str  # of an article, a `str.format` pattern
    date_format: str
    interrupted: bool  # whether every page has a box between title and text
    difficulties: tuple[str, ...]
    articles: tuple[Article, ...]
    snippets: Mapping[str, str]
    pages: Mapping[str, str]  # `home`, `page`, and `page-b` for a second template

    def article_url(self, article: Article) -> str:
        """Return the absolute URL of an article."""
        return self.url + self.path.format(a=article, d=article.date)

    def snippet(self, name: str, template: str | None) -> str:
        """Return a piece of markup, the template's own one if it has one."""
        return self.snippets.get(f"{name}.{template}", self.snippets[name])


def read_sites(parts: Path) -> tuple[Site, ...]:
    """Read every site below `data/parts`, by name."""
    return tuple(_read_site(path.parent) for path in sorted(parts.glob("*/site.json")))


def _read_site(folder: Path) -> Site:
    facts = json.loads((folder / "site.json").read_text(encoding="utf-8"))
    pages = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}
    return Site(
        name=folder.name,
        title=facts["title"],
        tagline=facts["tagline"],
        description=facts["description"],
        url=f"http://{folder.name}.example/",
        language=facts["language"],
        encoding=facts.get("encoding", "utf-8"),
        feed_format=facts["feed_format"],
        feed_encoding=facts.get("feed_encoding", "utf-8"),
        path=facts["path"],
        date_format=facts["date_format"],
        interrupted=facts.get("interrupted", False),
        difficulties=tuple(facts["difficulties"]),
        articles=read_articles(folder / "articles.txt"),
        snippets=read_sections(folder / "snippets.html"),
        pages=pages,
    )
