"""Describe the gold of a page beyond its text: blocks, images, and texts that must not be kept."""

from html import unescape
from urllib.parse import urljoin

from .inline import to_text
from .page import gold_blocks
from .parts import Article, split_caption
from .site import Site


def describe_gold(site: Site, article: Article, page: str) -> dict[str, object]:
    """Return the further metadata of a site whose gold is the body without headline."""
    blocks = list(gold_blocks(site, article))
    return {
        "authors": list(article.authors),
        "access": article.access,
        "blocks": [{"kind": kind, "text": text} for kind, text in blocks],
        "images": _describe_images(site, article),
        "forbidden": _find_forbidden(site, article, page, [text for _, text in blocks]),
    }


def _describe_images(site: Site, article: Article) -> list[dict[str, object]]:
    lines = [block.text for block in article.blocks if block.kind == "figure"]
    numbered = [(0, article.image)] if article.image else []
    numbered += list(enumerate(lines, 1))
    return [_describe_image(site, article, number, line) for number, line in numbered]


def _describe_image(site: Site, article: Article, number: int, line: str) -> dict[str, object]:
    alt, caption = split_caption(line)
    return {
        "url": urljoin(site.url, site.image_url(article, number)),
        "alt": alt,
        "caption": to_text(caption) or None,
        "lead": number == 0,
    }


def _find_forbidden(site: Site, article: Article, page: str, gold: list[str]) -> list[str]:
    """Return the boxes' and comments' texts and the other articles' titles in the page."""
    titles = [other.title for other in site.articles if other is not article]
    comments = [to_text(block.text.partition(" | ")[2]) for block in article.comments]
    shown = unescape(page)
    wanted = "\n".join(gold)
    return [
        text
        for text in (*site.forbidden, *comments, *titles)
        if text in shown and text not in wanted
    ]
