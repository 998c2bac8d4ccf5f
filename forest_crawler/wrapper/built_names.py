"""Find the stable part of class names that build tools make.

CSS modules, styled-components and their like add a hash to a name: `ArticleBody_root__x7Kd2`,
`styled__Body-sc-1x2y3z-0`. The next build changes the hash, and keeps what is before it. Locators
test for that prefix (`element_names`).
"""

from __future__ import annotations

import re
from functools import lru_cache

MIN_WORD_LENGTH = 4
"""Letters of the shortest word that makes a prefix a name: `a_b__` could be anything."""

MIN_HUMP_LENGTH = 3
"""Mean letters per word of camel case (`bodyText`); in a hash, upper case comes more often."""

_TOOL_WORDS = frozenset(
    "emotion index linaria module modules scoped style styled styles svelte".split()
)
"""Words that build tools put before the hash: they are on every element, and name none."""

_FIVE_LETTERS = frozenset(
    "above album alert arrow aside audio badge below black block board brand cards chart cover "
    "email embed entry event extra field first float focus found frame front grids group guide "
    "icons image index inner input intro items label large level light lines links "
    "lists local login logos media menus modal outer pages panel photo popup posts price "
    "promo query quote radio right round score share shell sizes slide small solid space stack "
    "start story style table teams tease terms texts theme thumb times title token "
    "tools topic track video views white width".split()
)
"""Words of markup as long as a CSS module's hash; nearly no hash is one of them."""

# A hash is a run that changes between letters and digits twice, or a run of hexadecimal digits with
# both; unless it is made of words.
_RUN = re.compile("[A-Za-z0-9]{5,200}")
_TURNS = re.compile("[A-Za-z][0-9]+[A-Za-z]|[0-9][A-Za-z]+[0-9]")
_HEX = re.compile("(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{6,}")
_SYLLABLES = re.compile("(?:[b-df-hj-np-tv-xz]{0,3}[aeiouy])+[b-df-hj-np-tv-xz]{0,3}")
_PIECE = re.compile("[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# CSS modules write `File_local__hash`. Their hash is base64, so it may consist of letters alone.
_MODULE = re.compile(
    r"(?P<prefix>[A-Za-z][A-Za-z0-9-]*_[A-Za-z][A-Za-z0-9_-]*__)(?P<hash>[A-Za-z0-9_+-]{5,32})"
)
_MODULE_HASH_LENGTH = 5  # as Next.js and Create React App write it
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]")  # a word of `camelCase`
_PLAIN_WORD = re.compile(r"[a-z_-]*[0-9]*")
_WORD = re.compile(rf"[A-Za-z]{{{MIN_WORD_LENGTH},}}")
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")  # characters that no tool has to escape


def is_built(name: str) -> bool:
    """Whether a name contains the hash of a build.

    >>> is_built("css-1a2b3c"), is_built("Figure_root__NvTFQ"), is_built("Figure_root__title")
    (True, True, False)
    """
    return _hash_start(name) is not None


@lru_cache(maxsize=20_000)
def stable_prefix(name: str) -> str | None:
    """Return what is before the hash of a built name; `None` if that isn't a name.

    >>> stable_prefix("ArticleBody_root__x7Kd2"), stable_prefix("styled__Body-sc-1x2y3z-0")
    ('ArticleBody_root__', 'styled__Body-sc-')
    >>> stable_prefix("css-1a2b3c"), stable_prefix("story")
    (None, None)
    """
    start = _hash_start(name)
    prefix = name[:start] if start else ""
    if not _PLAIN.fullmatch(prefix):
        return None
    words = _WORD.findall(prefix)
    return prefix if any(word.lower() not in _TOOL_WORDS for word in words) else None


def _hash_start(name: str) -> int | None:
    module = _MODULE.fullmatch(name)
    if module and _is_random(module["hash"]):
        return module.start("hash")
    return next((run.start() for run in _RUN.finditer(name) if _is_hash(run[0])), None)


def _is_hash(run: str) -> bool:
    """Whether letters and digits are a hash, and not words with a number (`html5video`)."""
    if _HEX.fullmatch(run):
        return True
    return _TURNS.search(run) is not None and not _has_words(run)


def _has_words(run: str) -> bool:
    """Whether a run with one number is otherwise words or abbreviations (`mp3player`)."""
    pieces = _PIECE.findall(run)
    numbers = sum(piece.isdigit() for piece in pieces)
    return numbers == 1 and any(
        len(piece) >= MIN_WORD_LENGTH and _SYLLABLES.fullmatch(piece.lower()) for piece in pieces
    )


def _is_random(text: str) -> bool:
    """Whether the end of a CSS module's name is a hash, and not a word (`bodyText`, `col12`)."""
    if _PLAIN_WORD.fullmatch(text):
        return False
    if any(_is_hash(run) for run in _RUN.findall(text)):
        return True
    if len(text) == _MODULE_HASH_LENGTH:
        return text.lower() not in _FIVE_LETTERS
    return len(_HUMP.findall(text)) > len(text) / MIN_HUMP_LENGTH
