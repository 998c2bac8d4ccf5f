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
    gold: (
        str  # `title`: the text begins with title and lead; `body`: blocks, images, forbidden text
    )
    shows_lead: bool
    joiner: str  # between the last two authors
    image_path: str  # of an article's n-th image, a `str.format` pattern; the lead picture is 0
    forbidden: tuple[str, ...]  # texts of boxes that belong to no article
    full_feed: bool  # whether entries have the whole article
    twins: tuple[str, ...]  # documents that also have a page in the template `amp`

    def article_url(self, article: Article) -> str:
        """Return the absolute URL of an article."""
        return self.url + self.path.format(a=article, d=article.date)

    def image_url(self, article: Article, number: int) -> str:
        """Return the address of an article's image, as its page has it."""
        return self.image_path.format(a=article, d=article.date, n=number)

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
        gold=facts.get("gold", "title"),
        shows_lead=facts.get("shows_lead", True),
        joiner=facts.get("joiner", " and "),
        image_path=facts.get("image_path", "/img/{a.doc}-{n}.jpg"),
        forbidden=tuple(facts.get("forbidden", ())),
        full_feed=facts.get("full_feed", False),
        twins=tuple(facts.get("twins", ())),
    )
