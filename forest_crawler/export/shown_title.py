"""Drop an article's title from its HTML: a feed reader shows it above the content."""

from __future__ import annotations

import re

from lxml import html as lxml_html

from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.comparison import comparable

_FIRST_BLOCK = re.compile(r"\s*<(h[1-6]|p)\b[^>]*>(.*?)</\1>\s*", re.DOTALL | re.IGNORECASE)


def drop_title(markup: str, title: str | None) -> str:
    """Remove the first block of an article's HTML if it only repeats the title.

    Stays if it has a picture, or if nothing else would be left.

    >>> drop_title("<h1>Rain!</h1><p>It rained.</p>", "Rain")
    '<p>It rained.</p>'
    """
    first = _FIRST_BLOCK.match(markup)
    if not first or not title or "<img" in first[2]:
        return markup
    rest = markup[first.end() :]
    text = "".join(map(str, lxml_html.fromstring(f"<p>{clean_text(first[2])}</p>").itertext()))
    return rest if rest.strip() and comparable(text) == comparable(title) else markup
