"""Render the inline marks of a text line.

`[text](url)`, `[[wiki page|text]]`, `**strong**`, `*emphasis*`.
"""

import re
from html import escape

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_WIKI = re.compile(r"\[\[(?:([^\]|]+)\|)?([^\]|]+)\]\]")
_STRONG = re.compile(r"\*\*([^*]+)\*\*")
_EMPHASIS = re.compile(r"\*([^*]+)\*")


def to_html(line: str, *, strong: str = "strong", emphasis: str = "em") -> str:
    """Render a line's inline marks as HTML.

    >>> to_html("Ask [Ada & Co](/ada) *now*")
    'Ask <a href="/ada">Ada &amp; Co</a> <em>now</em>'
    """
    text = escape(line, quote=False)
    text = _WIKI.sub(_wiki_link, text)
    text = _LINK.sub(r'<a href="\2">\1</a>', text)
    text = _STRONG.sub(rf"<{strong}>\1</{strong}>", text)
    return _EMPHASIS.sub(rf"<{emphasis}>\1</{emphasis}>", text)


def to_text(line: str) -> str:
    """Remove a line's inline marks.

    >>> to_text("Ask [Ada & Co](/ada) *now*")
    'Ask Ada & Co now'
    """
    line = _WIKI.sub(r"\2", line)
    for mark in (_LINK, _STRONG, _EMPHASIS):
        line = mark.sub(r"\1", line)
    return line


def _wiki_link(match: re.Match[str]) -> str:
    name = match[1] or match[2]
    page = name[0].upper() + name[1:].replace(" ", "_")
    return f'<a href="/wiki/{page}.html" title="{name}">{match[2]}</a>'
