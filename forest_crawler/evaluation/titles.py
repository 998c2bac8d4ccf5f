"""Give an extracted text the headline if the gold has it, and only then.

Labelled sets disagree on whether the headline belongs to the text; extractors return it as a field
of its own, or as the text's first line. Neither is an error of the method. So the headline is
compared as the gold treats it: a gold that has it is compared with title and text together, a gold
without it with the text alone. The rule is the same for all methods, peers included; the title that
is joined is the page's own (`read_metadata`), never the label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forest_crawler.text.comparison import comparable

MAX_LEAD_LINES = 12
"""Lines at the beginning that may be the headline: kicker, date, author, captions."""

MIN_BODY_LETTERS = 200
"""Letters of a line with which the body has begun; a headline comes before it."""

MIN_TITLE_SHARE = 0.5
"""Min share of a line's letters that the title has; the rest is a kicker or a label."""


MIN_START = 15
"""Min letters of a title with which a line of the gold may begin: shorter ones are phrases."""

MAX_START = 2000
"""Characters of a gold in which a title at its beginning ends."""


def join_title(text: str, gold: str, titles: Sequence[str]) -> str:
    """Add the first title to a text, or remove all titles from it, as the gold has it.

    A text that has the title stays as it is if the gold has it, too.

    >>> join_title("It rained.", "Rain\\n\\nIt rained.", ["Rain"])
    'Rain\\nIt rained.'
    >>> join_title("Rain\\nIt rained.", "It rained.", ["Rain"])
    'It rained.'
    """
    wanted = frozenset(filter(None, map(comparable, titles)))
    if not wanted or not text.strip():
        return text
    found = set(_title_lines(text, wanted))
    if _begins_with(gold, wanted) or any(True for _ in _title_lines(gold, wanted)):
        return text if found else f"{titles[0]}\n{text}"
    kept = [line for index, line in enumerate(text.split("\n")) if index not in found]
    return "\n".join(kept) if any(map(str.strip, kept)) else text


def _begins_with(gold: str, titles: frozenset[str]) -> bool:
    """Whether a gold begins with a title, with or without a line break after it."""
    letters = comparable(gold[:MAX_START])
    return any(len(title) >= MIN_START and letters.startswith(title) for title in titles)


def _title_lines(text: str, titles: frozenset[str]) -> Iterator[int]:
    """Yield the numbers of the lines before the body that are a title, or have one."""
    seen = 0
    for index, line in enumerate(text.split("\n")):
        if seen == MAX_LEAD_LINES:
            return
        letters = comparable(line)
        seen += bool(letters)
        if letters in titles or _has_title(letters, titles):
            yield index
        elif len(letters) >= MIN_BODY_LETTERS:
            return


def _has_title(letters: str, titles: frozenset[str]) -> bool:
    return any(
        len(title) >= MIN_TITLE_SHARE * len(letters)
        and (letters.startswith(title) or letters.endswith(title))
        for title in titles
    )
