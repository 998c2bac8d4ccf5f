"""Read `articles.txt`: header lines, then one block per line.

A line's first characters give its kind: `## ` sub-heading, `- ` list item, `> ` quotation,
`| ` table row, `! ` figure caption, `# ` numbered step, a backtick and a blank a line of code,
`+ ` the time and, after a bar, the headline of a live update, `@` a box of the site that isn't the
article's text, `~ ` a reader's comment, anything else a paragraph. A caption may have the image's
alternative text and `::` before it; a figure whose line ends in `::` has no caption.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

MARKS = {
    "## ": "heading",
    "- ": "item",
    "> ": "quote",
    "| ": "row",
    "! ": "figure",
    "@": "box",
    "~ ": "comment",
    "# ": "step",
    "` ": "code",
    "+ ": "update",
}
ALT_END = "::"
SPLIT = "split"  # the box that only ends one container and opens the next


@dataclass(frozen=True, slots=True)
class Block:
    """One line of an article: its kind and its text with inline marks."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Article:
    """A hand-written article with its metadata."""

    doc: str
    title: str
    author: str | None
    date: datetime
    tags: tuple[str, ...]
    lead: str
    template: str | None
    section: str
    blocks: tuple[Block, ...]
    comments: tuple[Block, ...]
    image: str | None = None  # the lead picture: alternative text, `::`, caption
    access: str = "free"  # or `metered`: a wall over the whole text; or `teaser`: its beginning

    @property
    def authors(self) -> tuple[str, ...]:
        """The authors, who are separated by semicolons."""
        return tuple(self.author.split("; ")) if self.author else ()


def read_sections(path: Path) -> dict[str, str]:
    """Split a file at its `=== name` lines."""
    sections: dict[str, str] = {}
    for chunk in ("\n" + path.read_text(encoding="utf-8")).split("\n=== ")[1:]:
        name, _, text = chunk.partition("\n")
        if name in sections:
            raise ValueError(f"{path}: section {name!r} occurs twice; rename one")
        sections[name.strip()] = text.strip("\n")
    return sections


def read_articles(path: Path) -> tuple[Article, ...]:
    """Read all articles of a site, newest first."""
    articles = [_read_article(doc, text) for doc, text in read_sections(path).items()]
    return tuple(sorted(articles, key=lambda article: article.date, reverse=True))


def _read_article(doc: str, text: str) -> Article:
    head, _, body = text.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    blocks = tuple(_read_blocks(body))
    return Article(
        doc=doc,
        title=fields["title"],
        author=fields.get("author"),
        date=datetime.fromisoformat(fields["date"]),
        tags=tuple(tag.strip() for tag in fields["tags"].split(",")),
        lead=fields["lead"],
        template=fields.get("template"),
        section=fields.get("section", ""),
        blocks=tuple(block for block in blocks if block.kind != "comment"),
        comments=tuple(block for block in blocks if block.kind == "comment"),
        image=fields.get("image"),
        access=fields.get("access", "free"),
    )


def _read_blocks(body: str) -> Iterator[Block]:
    for line in filter(None, map(str.strip, body.splitlines())):
        mark = next((mark for mark in MARKS if line.startswith(mark)), "")
        yield Block(MARKS.get(mark, "paragraph"), line[len(mark) :])


def split_caption(line: str) -> tuple[str, str]:
    """Split a figure's line into alternative text and caption; either may be empty.

    >>> split_caption("A red boat :: The *Alma* in March")
    ('A red boat', 'The *Alma* in March')
    >>> split_caption("The Alma in March")
    ('', 'The Alma in March')
    """
    alt, mark, caption = line.partition(ALT_END)
    return (alt.strip(), caption.strip()) if mark else ("", line)
