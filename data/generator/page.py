"""Render an article's page and gold text from the same blocks; the home page."""

from collections.abc import Iterator
from itertools import groupby
from urllib.parse import quote

from .inline import to_html, to_text
from .parts import SPLIT, Article, Block
from .site import Site
from .slots import Slots

GROUPS = {"item": "items", "row": "table"}  # kinds whose runs share an outer element
VARIANT_EVERY = 4  # the site's experiment shows variant B on every fourth page


def render_page(site: Site, article: Article) -> str:
    """Return the page's HTML."""
    slots = Slots(site, article)
    source = site.pages["page" if article.template in (None, "a") else f"page-{article.template}"]
    variant = "variantb" if site.articles.index(article) % VARIANT_EVERY == 1 else "varianta"
    return slots.fill(
        source,
        variant=site.snippets.get(variant, ""),
        byline=slots.snippet("byline" if article.author else "unsigned"),
        tags="".join(_render_tags(slots, article)),
        comments="\n".join(_render_comments(slots, article)),
        contents="".join(_render_contents(slots, article)),
        comment_count=str(len(article.comments)),
        body="\n".join(_render_body(slots, article)),
    )


def render_home(site: Site) -> str:
    """Return the home page's HTML."""
    return Slots(site, None).fill(site.pages["home"])


def write_gold(article: Article) -> str:
    """Return the gold text: title, lead, then one line per block."""
    lines = [article.title, to_text(article.lead)]
    for block in article.blocks:
        if block.kind == "row":
            lines.append(" ".join(_split_cells(to_text(block.text))))
        elif block.kind != "box":
            lines.append(to_text(block.text))
    return "\n".join(lines) + "\n"


def is_fragmented(site: Site, article: Article) -> bool:
    """Return whether other text is between the parts of the article's text."""
    boxes = any(block.kind == "box" and block.text != SPLIT for block in article.blocks)
    return site.interrupted or boxes


def _render_body(slots: Slots, article: Article) -> Iterator[str]:
    figures = 0
    for kind, group in groupby(article.blocks, key=lambda block: block.kind):
        blocks = list(group)
        if kind in GROUPS:
            inner = "\n".join(_render_block(slots, block) for block in blocks)
            yield slots.snippet(GROUPS[kind], inner=inner)
            continue
        for block in blocks:
            figures += kind == "figure"
            yield _render_block(slots, block, str(figures))


def _render_tags(slots: Slots, article: Article) -> Iterator[str]:
    for tag in article.tags:
        yield slots.snippet("tag", tag=to_html(tag), tag_slug=quote(tag.replace(" ", "-")))


def _render_contents(slots: Slots, article: Article) -> Iterator[str]:
    if "content" in slots.site.snippets:
        headings = [block for block in article.blocks if block.kind == "heading"]
        for number, block in enumerate(headings, 1):
            yield slots.snippet("content", text=to_html(block.text), n=str(number))


def _render_block(slots: Slots, block: Block, figure: str = "") -> str:
    if block.kind == "box":
        return slots.snippet(block.text)
    if block.kind == "row":
        cells = _split_cells(block.text)
        inner = "".join(slots.snippet("cell", text=to_html(cell)) for cell in cells)
        return slots.snippet("row", inner=inner)
    return slots.snippet(block.kind, text=to_html(block.text), figure=figure)


def _split_cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def _render_comments(slots: Slots, article: Article) -> Iterator[str]:
    for number, block in enumerate(article.comments, 1):
        name, _, text = block.text.partition(" | ")
        key = str(slots.random(f"comment {number}").randrange(10000, 99999))
        yield slots.snippet("comment", name=name, text=to_html(text), key=key, n=str(number))
