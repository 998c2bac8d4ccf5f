"""Recognise a page that only scripts fill: `--render auto` renders those, and no others."""

from __future__ import annotations

import re

MAX_SHELL_TEXT = 200
"""Letters and digits of text in a shell: a title, a notice, perhaps a line of the footer."""

_UNSEEN = ("script", "style", "noscript", "template", "svg", "head")
_OPENING = re.compile(rb"<(" + "|".join(_UNSEEN).encode() + rb")(?=[\s>/])", re.IGNORECASE)
_TAG = re.compile(rb"<[^<>]*>")
_WORD_BYTES = re.compile(rb"[0-9A-Za-z\x80-\xff]+")


def is_shell(body: bytes) -> bool:
    """Report whether a page has scripts, and next to no text without them.

    >>> is_shell(b"<div id=app></div><script src=/app.js></script>")
    True
    >>> is_shell(b"<p>Closed today.</p>")
    False
    """
    return b"<script" in body.lower() and _has_little_text(body)


def _has_little_text(body: bytes) -> bool:
    """Count the text outside of unseen elements, no further than necessary; in one pass."""
    found, start = 0, 0
    lowered = body.lower()
    while start < len(body):
        opening = _OPENING.search(lowered, start)
        end = opening.start() if opening else len(body)
        for word in _WORD_BYTES.finditer(_TAG.sub(b" ", body[start:end])):
            found += len(word[0])
            if found > MAX_SHELL_TEXT:
                return False
        if opening is None:
            break
        closing = lowered.find(b"</" + opening[1], opening.end())
        start = lowered.find(b">", closing) + 1 if closing >= 0 else 0
        if not start:
            break  # browsers, too, read the rest as part of a script that does not end
    return True
