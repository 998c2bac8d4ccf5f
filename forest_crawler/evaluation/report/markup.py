"""Make HTML and SVG elements; a text is always a node, so it is always escaped."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from lxml import etree

from forest_crawler.page.xpath import Element

Child: TypeAlias = Element | str | None

NO_BREAK: Final = "\u00a0"
"""Between a number and its unit."""

# What XML cannot contain (control characters, unpaired surrogates), and marks that reverse the
# direction of all following text.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e]")


def element(tag: str, *children: Child, **attributes: str | float | None) -> Element:
    """Make an element; a child or attribute that is `None` is omitted.

    In attributes, `_` becomes `-`; a trailing `_`, as in `class_`, avoids Python's keywords.

    >>> etree.tostring(element("text", "a < b", class_="axis", text_anchor="end"))
    b'<text class="axis" text-anchor="end">a &lt; b</text>'
    """
    made = etree.Element(tag)
    for name, value in attributes.items():
        if value is not None:
            made.set(name.rstrip("_").replace("_", "-"), _attribute(value))
    for child in children:
        if isinstance(child, str):
            _append_text(made, printable(child))
        elif child is not None:
            made.append(child)
    return made


def percent(share: float) -> str:
    """Format a position in a drawing as a share of its width or height.

    >>> percent(0.25), percent(1)
    ('25%', '100%')
    """
    return f"{100 * share:.4g}%"


def printable(text: str) -> str:
    """Replace the characters that a document cannot contain."""
    return _UNPRINTABLE.sub("\ufffd", text)


def slug(*parts: str) -> str:
    """Make an id for a link within the report.

    >>> slug("worst", "cmd:my tool")
    'worst-cmd-my-tool'
    """
    return "-".join(re.sub(r"\W+", "-", part).strip("-") for part in parts)


def _attribute(value: str | float) -> str:
    return printable(value) if isinstance(value, str) else f"{value:.6g}"


def _append_text(parent: Element, text: str) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text
