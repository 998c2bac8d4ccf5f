"""Read the words of an article's three forms with other libraries than ours."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import html as lxml_html
from markdown_it import MarkdownIt

from forest_crawler.article.content.forms import Forms
from forest_crawler.text.terms import tokenize

_INLINE = frozenset("a strong em code sub sup del s img".split())


def words_of_html(markup: str) -> list[str]:
    """Return the words that HTML shows; every element that starts a line ends a word."""
    if not markup.strip():
        return []
    root = lxml_html.fromstring(f"<body>{markup}</body>")
    pieces: list[str] = []
    for element in root.iter():
        if element.tag not in _INLINE:
            element.text = f"\n{element.text or ''}"
            element.tail = f"\n{element.tail or ''}"
            if len(element):
                element[-1].tail = f"{element[-1].tail or ''}\n"
            else:
                element.text = f"{element.text}\n"
    pieces.extend(str(piece) for piece in root.itertext())
    return tokenize("".join(pieces))


def words_of_markdown(markdown: str) -> list[str]:
    """Return the words that Markdown shows, as a CommonMark library renders it."""
    return words_of_html(MarkdownIt("commonmark").enable("table").render(markdown))


def words_of_forms(forms: Forms) -> Sequence[list[str]]:
    """Return the words of text, HTML and Markdown."""
    return tokenize(forms.text), words_of_html(forms.html), words_of_markdown(forms.markdown)
