"""Render an article's page and gold text from the same blocks; the home page."""

import json
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from itertools import groupby
from urllib.parse import quote

from .inline import to_html, to_text
from .parts import SPLIT, Article, Block, split_caption
from .site import Site
from .slots import STREAM, Slots

GROUPS = {"item": "items", "step": "steps", "row": "table", "code": "listing"}
"""Kinds whose runs share an outer element."""

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
        hero=_render_hero(slots, article),
        flight=_write_flight(article),
        body_text=json.dumps(" ".join(gold_lines(site, article)), ensure_ascii=False),
        body=render_body(site, article),
    )


def render_twin(site: Site, article: Article) -> str:
    """Return the HTML of the article's page in the template `amp`."""
    articles = tuple(replace(it, template="amp") if it is article else it for it in site.articles)
    twin = next(it for it in articles if it.doc == article.doc)
    return render_page(replace(site, articles=articles), twin)


def render_body(site: Site, article: Article) -> str:
    """Return the HTML of the article's blocks alone."""
    slots = Slots(site, article)
    blocks = list(_numbered(article))
    starts = [i for i, (block, _) in enumerate(blocks) if block.kind == "update"]
    bounds = [*starts, len(blocks)]
    parts = list(_render_blocks(slots, blocks[: bounds[0]]))
    for number, (start, end) in enumerate(zip(starts, bounds[1:], strict=True), 1):
        time, _, text = blocks[start][0].text.partition(" | ")
        inner = "\n".join(_render_blocks(slots, blocks[start + 1 : end]))
        parts.append(
            slots.snippet("update", time=time, text=to_html(text), inner=inner, n=str(number))
        )
    return "\n".join(parts)


def render_home(site: Site) -> str:
    """Return the home page's HTML."""
    return Slots(site, None).fill(site.pages["home"])


def gold_lines(site: Site, article: Article) -> Iterator[str]:
    """Yield the gold text: title and lead if they belong to it, then one line per block."""
    if site.gold == "title":
        yield article.title
    for _, text in gold_blocks(site, article):
        yield text


def gold_blocks(site: Site, article: Article) -> Iterator[tuple[str, str]]:
    """Yield kind and text of each block of the gold, the lead first."""
    if site.shows_lead:
        yield "lead", to_text(article.lead)
    for block in article.blocks:
        if block.kind != "box" and (text := _block_text(block)):
            yield block.kind, text


def is_fragmented(site: Site, article: Article) -> bool:
    """Return whether other text is between the parts of the article's text."""
    silent = (SPLIT, "stream")
    boxes = any(block.kind == "box" and block.text not in silent for block in article.blocks)
    updates = any(block.kind == "update" for block in article.blocks)
    return site.interrupted or boxes or updates


def _block_text(block: Block) -> str:
    if block.kind == "code":
        return block.text.strip()
    if block.kind == "row":
        return " ".join(_split_cells(to_text(block.text)))
    if block.kind == "figure":
        return to_text(split_caption(block.text)[1])
    if block.kind == "update":
        return to_text(block.text.partition(" | ")[2])
    return to_text(block.text)


def _numbered(article: Article) -> Iterator[tuple[Block, int]]:
    """Yield the blocks, each with the number of figures up to it."""
    figures = 0
    for block in article.blocks:
        figures += block.kind == "figure"
        yield block, figures


def _render_blocks(slots: Slots, blocks: list[tuple[Block, int]]) -> Iterator[str]:
    for kind, group in groupby(blocks, key=lambda pair: pair[0].kind):
        rendered = [
            _render_block(slots, block, figures, is_first=position == 0)
            for position, (block, figures) in enumerate(group)
        ]
        if kind in GROUPS:
            yield slots.snippet(GROUPS[kind], inner="\n".join(rendered))
        else:
            yield from rendered


def _render_tags(slots: Slots, article: Article) -> Iterator[str]:
    for tag in article.tags:
        yield slots.snippet("tag", tag=to_html(tag), tag_slug=quote(tag.replace(" ", "-")))


def _render_contents(slots: Slots, article: Article) -> Iterator[str]:
    if "content" in slots.site.snippets:
        headings = [block for block in article.blocks if block.kind == "heading"]
        for number, block in enumerate(headings, 1):
            yield slots.snippet("content", text=to_html(block.text), n=str(number))


def _render_hero(slots: Slots, article: Article) -> str:
    return _render_figure(slots, "hero", article.image, 0) if article.image else ""


def _render_figure(slots: Slots, kind: str, line: str, figure: int) -> str:
    alt, caption = split_caption(line)
    image = slots.site.image_url(slots.page, figure) if slots.page else ""
    return slots.snippet(
        kind if caption else "picture",
        text=_inline(slots, caption),
        alt=escape(alt),
        figure=str(figure),
        image=escape(image),
        image_quoted=quote(image, safe=""),
    )


def _render_block(slots: Slots, block: Block, figures: int, *, is_first: bool) -> str:
    if block.kind == "box":
        return STREAM if block.text == "stream" else slots.snippet(block.text)
    if block.kind == "code":
        return escape(block.text, quote=False)
    if block.kind == "figure":
        return _render_figure(slots, "figure", block.text, figures)
    if block.kind == "row":
        name = "headcell" if is_first and "headcell" in slots.site.snippets else "cell"
        cells = _split_cells(block.text)
        inner = "".join(slots.snippet(name, text=_inline(slots, cell)) for cell in cells)
        return slots.snippet("row", inner=inner)
    return slots.snippet(block.kind, text=_inline(slots, block.text))


def _inline(slots: Slots, line: str) -> str:
    """Render a line's inline marks as HTML, with the site's own elements for them."""
    html = to_html(line)
    for tag in ("a", "strong", "em"):
        if f"inline-{tag}" in slots.site.snippets:
            opening = slots.snippet(f"inline-{tag}")
            html = html.replace(f"<{tag}", opening)
            html = html.replace(f"</{tag}>", f"</{opening[1:].split()[0]}>")
    return html


def _write_flight(article: Article) -> str:
    """Write the blocks as React's server components are sent to the browser, in a script."""
    rows = [
        ["$", "p", None, {"className": "mb-6", "children": _block_text(block)}]
        for block in article.blocks
        if block.kind != "box"
    ]
    payload = json.dumps(["$", "article", article.doc, {"children": rows}], ensure_ascii=False)
    return json.dumps([1, f"7:{payload}\n"], ensure_ascii=False).replace("</", "\\u003c/")


def _split_cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def _render_comments(slots: Slots, article: Article) -> Iterator[str]:
    for number, block in enumerate(article.comments, 1):
        name, _, text = block.text.partition(" | ")
        key = str(slots.random(f"comment {number}").randrange(10000, 99999))
        yield slots.snippet("comment", name=name, text=to_html(text), key=key, n=str(number))
