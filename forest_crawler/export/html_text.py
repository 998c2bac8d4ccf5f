"""Write plain text for places where one reader expects text and another HTML.

RSS doesn't say which of the two a title or an author is, and a description is HTML. Escaping
everything would show `&amp;` in readers that expect text; so only what HTML would read as something
else is escaped, which hardly any text has.
"""

from __future__ import annotations

import html
import re

# A tag, a comment or a declaration begins here; or at the end, where a reader may add something.
_MARKUP = re.compile(r"<(?=[A-Za-z/!?]|$)")
_REFERENCE = re.compile(r"&(?:#\w*|\w+);?", re.ASCII)


def to_html_text(text: str) -> str:
    """Escape what HTML would not read as this text.

    >>> to_html_text("Rain & fog"), to_html_text("the <b> tag and &lt;")
    ('Rain & fog', 'the &lt;b> tag and &amp;lt;')
    """
    return _MARKUP.sub("&lt;", _REFERENCE.sub(_escape_reference, text))


def _escape_reference(found: re.Match[str]) -> str:
    return f"&amp;{found[0][1:]}" if html.unescape(found[0]) != found[0] else found[0]
