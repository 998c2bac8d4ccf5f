"""A fragment of HTML → plain text, for titles and descriptions of feeds."""

from __future__ import annotations

from lxml import etree

from forest_crawler.page.media import MEDIA_TAGS
from forest_crawler.page.tree import INLINE_TAGS, UNSEEN_TAGS
from forest_crawler.text.cleaning import FORBIDDEN, clean_text

MAX_MARKUP_LENGTH = 2**16
"""Characters of markup that are read by default; longer ones are whole books, or attacks."""


def plain_text(markup: str, max_length: int = MAX_MARKUP_LENGTH) -> str:
    """Remove tags and fold blanks; reads the first `max_length` characters of markup.

    >>> plain_text("<p>Storm &amp; <b>rain</b></p><p>Again")
    'Storm & rain Again'
    """
    markup = markup[:max_length]
    if "<" in markup or "&" in markup:
        markup = _remove_tags(markup)
    return " ".join(clean_text(markup).split())


def _remove_tags(markup: str) -> str:
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    data = f"<body><div>{FORBIDDEN.sub('', markup)}</div>".encode("utf-8", "replace")
    root = etree.fromstring(data, parser)
    if root is None:
        return ""
    etree.strip_elements(root, *UNSEEN_TAGS, *MEDIA_TAGS, with_tail=False)
    for element in root.iter(etree.Element):
        if element.tag not in INLINE_TAGS:
            # libxml2 reads references to control characters (&#7;), but lxml refuses to write them.
            element.text = f" {FORBIDDEN.sub('', element.text or '')}"
            element.tail = f" {FORBIDDEN.sub('', element.tail or '')}"
    return "".join(str(piece) for piece in root.itertext())
