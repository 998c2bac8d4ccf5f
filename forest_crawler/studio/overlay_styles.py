"""Filter the inline styles of a page: what gives its boxes their shape, and nothing else."""

from __future__ import annotations

import re

_LENGTH = r"(?:auto|0|[0-9]{1,4}(?:\.[0-9]{1,3})?(?:px|em|rem|ex|ch|pt|%))"
_VALUES = {
    name: re.compile(pattern)
    for name, pattern in {
        "float": "left|right|none",
        "clear": "left|right|both|none",
        "font-style": "normal|italic|oblique",
        "font-weight": "normal|bold|bolder|lighter|[1-9]00",
        "text-align": "left|right|center|justify|start|end",
        "text-decoration": "none|underline|line-through",
        "text-transform": "none|uppercase|lowercase|capitalize",
        "vertical-align": "top|middle|bottom|baseline|sub|super",
        "white-space": "normal|nowrap|pre|pre-wrap|pre-line",
        "width": _LENGTH,
        "max-width": _LENGTH,
    }.items()
}
"""Properties with the values that they may have.

Colours are not among them: without the page's style sheets, white text would be on white. Nothing
here names a URL, and nothing takes an element out of the flow over another one.
"""

MAX_STYLE = 2000
"""Max characters of a style that is read; longer ones are dropped."""


def filter_style(style: str) -> str:
    """Return the harmless declarations of a `style` attribute.

    >>> filter_style("FLOAT: right; background:url(//x.example/); width:calc(1px); width: 50%")
    'float:right;width:50%'
    """
    if len(style) > MAX_STYLE:
        return ""
    kept: dict[str, str] = {}
    for declaration in style.lower().split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        value = value.removesuffix("!important").strip()
        if (pattern := _VALUES.get(name)) and pattern.fullmatch(value):
            kept[name] = value
    return ";".join(f"{name}:{value}" for name, value in kept.items())
