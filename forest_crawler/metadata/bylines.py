"""Bylines: who wrote an article, as its page shows it to a reader.

`forest_crawler.metadata.page_metadata` reads them when the page's head names no author. A byline is
near the headline, and recognised by its class, its links to authors' pages or its beginning
("By Ann Lee"). Farther away are readers, reviewers and forms; but a text of its own such as
"Author:" announces the names also at the article's end.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from forest_crawler.metadata.headlines import find_headline_leaf
from forest_crawler.metadata.microdata import elements_beside, own_elements
from forest_crawler.metadata.names import split_names
from forest_crawler.page.once_per_tree import once_per_tree
from forest_crawler.page.outline import Outline
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element

MAX_BYLINE_LENGTH = 200
"""Max characters of a byline: several names, with date and place."""

MAX_BY_LENGTH = 120
"""Max characters of a byline that only its beginning shows to be one."""

MAX_ELEMENTS = 100
"""Max elements inside a byline; a list has more, as has a page made to be slow to search."""

MAX_NAME_LENGTH = 50
MAX_WORDS = 5
"""Max words of a name, including titles, particles and suffixes."""

NEAR = 40
"""Max text leaves between headline and byline: kicker, lead, date, share buttons, a picture."""

NEAR_ASIDE = 8
"""Max text leaves between headline and a byline in an aside: farther ones are of other articles."""

MAX_LEAD_LENGTH = 300
"""Max characters between headline and such a byline: after the lead, asides are about others."""

MAX_LABEL = 40
"""Max characters of a text that announces names: "This post was written by"."""

MIN_FAR_LABEL = 5
"""Min characters of a label far from the headline: "by" alone is of comments and other articles."""

# Words for the author in a class, an id or a test attribute.
_BYLINE_NAME = re.compile(
    r"(?:^|[^a-z])(?:author|authors|byline|bylines|contributor|contributors|writer|writers|"
    r"posted[-_]?by|written[-_]?by|creator|username|poster)(?:$|[^a-z])|author[-_]?name|byline"
)
_NAMES = ("class", "id", "data-testid")
_PERSON_NAME = re.compile(r"name|link|url|fn\b")
# Links to a person's page.
_AUTHOR_PATH = re.compile(
    r"/(?:authors?|contributors?|writers?|journalists?|columnists?|staff|team|people|persons?|"
    r"profiles?|users?|members?|u|by|bio|experts?|autor|autoren|auteurs?)/[^/?#]"
)
# The forms and signatures of readers.
_COMMENTER = re.compile(r"comment[-_]?(?:form|author|by|name)|author[-_]?comment|commenter")
# Boxes that hold the names of other people, or no names.
_OTHERS = re.compile(
    r"comment|related|recommend|sidebar|widget|footer|newsletter|reply|replies|popular|trending|"
    r"avatar|bio\b|biography|about[-_]author|more[-_]|credit|caption|image|photo|quote|testimonial"
)
_BY = re.compile(
    r"^\W*(?:(?:article|blog|guide|post|story|text|words|written|posted|published|reported|created|"
    r"contributed|authored|started|asked|ein|alle|zeige|artikel|beitrag|beiträge|bericht|interview|"
    r"kommentar|verfasst|geschrieben|erstellt|eingestellt|veröffentlicht|publié|rédigé|écrit|escrito|"
    r"publicado)\s+){0,4}(?:by|von|vom|par|por)\b:?\s*|"
    r"^\W*(?:posted|published|written|updated|created)\s(?:on\s)?[^|]{6,40}?\sby\b:?\s*|"
    r"^\W*(?:authors?|written|writer|contributors?|posted|byline|autor(?:in|en|innen)?|auteure?s?|"
    r"autore|interview|redaktion)\s*:\s*",
    re.IGNORECASE,
)
# Whose work it is, in a byline: a picture story's author is its photographer.
_CREDIT = re.compile(
    r"^\W*(?:(?:texts?|textes?|testo|testi|words|photos?|photograph(?:s|y)|pictures|images|"
    r"fotos?|fotografie|fotografien|fotograf[ií]as?|photographies?|immagini|bilder|reportage|"
    r"illustrations?|illustrazioni|video|videos)(?:\s*(?:&|\+|/|,|and|und|et|e|y)\s*)?){1,3}"
    r"(?:\s+(?:by|di|von|de|par|por|door|van|av|af)\b:?|\s*:)\s*",
    re.IGNORECASE,
)
# What ends the names: dates, sections, reading times, jobs.
_END = re.compile(
    r"\s*(?:[|·•–—/\n\t(\[]|\s-\s|\b(?:on|in|published|updated|posted|last|reviewed|edited|"
    r"fact[- ]checked|medically|originally|follow|share|for|at)\b|\b(?:mon|tues|wednes|thurs|fri|"
    r"satur|sun)day,?\s(?=\w{1,9}\W{1,3}[0-9])|(?-i:\s(?:am|um|le|el|den)(?=\s*(?:[0-9]|$)))|\bstand:|"
    r",?\s*(?:(?<![^\W_])[0-9]|jan|feb|mar|apr|"
    r"may|june|july|aug|sept|oct|nov|dec)[a-z]*\.?\s*[0-9]|[0-9]{1,2}\.?\s[^\W\d_]{3,}\.?\s[0-9]).*",
    re.IGNORECASE | re.DOTALL,
)
_NOT_A_NAME = re.compile(
    r"\b(?:authors?|by|bylines?|follow|share|more|read|posts?|view|all|comments?|mins?|minutes?|"
    r"updated|published|about|contact|subscribe|newsletter|profile|bio|see|reviews?|written|"
    r"articles?|website|email|home|blog|login|log|sign|guest|anonymous|"
    r"twitter|facebook|linkedin|instagram|youtube|tiktok|pinterest|bluesky|mastodon|telegram|"
    r"whatsapp|rss|"
    r"unknown|contributors?|writers?|editors?|editor-in-chief|reporter|correspondent|journalist|"
    r"manager|director|founder|ceo|specialist|expert|consultant|strategist|head|senior|chief|"
    r"reputation|badges?|member|joined|ago|views?|photos?|images?|image|source|staff|join|register|start|get|"
    r"request|free|category|conditions|terms|privacy|today|now|webmaster|"
    r"name|nombre|nom|benutzername|autor|auteur|datum|registrieren|anmelden|veröffentlicht|publié|"
    r"publicado|alle artikel|alle beiträge|kommentare?|comentarios?)\b|[@:/\\?!<>{}=]",
    re.IGNORECASE,
)
# Of these words, surnames; in links to authors' pages they are rarely anything else.
_SURNAMES = frozenset("Free Guest Head Home Post Read See Share View".split())
_COUNT = re.compile(r"\s[0-9]{1,6}$")  # of the author's articles, or of comments
_BY_TEXT = 2  # recognised by its words only: "By Ann Lee", but also "By Monday it had"
_PARTICLES = frozenset("de da del della der den di do dos du la le van von al el bin ibn y".split())
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class _Candidate:
    rank: tuple[int, int]  # the lowest is the most likely
    kind: int
    names: tuple[str, ...]


@once_per_tree
def read_bylines(tree: PageTree) -> tuple[str, ...]:
    """Read the names in a page's most likely byline, if it has one.

    >>> from forest_crawler.page.tree import parse_page
    >>> page = "<h1>Rain</h1><div class=byline>By Ann Lee and Bo Ek | 6 March 2026</div><p>It"
    >>> read_bylines(parse_page(page))
    ('Ann Lee', 'Bo Ek')
    """
    headline = find_headline_leaf(tree)
    if headline is None:
        return ()
    start, end = _find_range(tree.outline, headline - NEAR // 2, headline + NEAR)
    found = list(_candidates(tree, headline, own_elements(tree, start, end)))
    if not found:
        start, end = _find_range(tree.outline, *_leaves_beside(tree.outline, headline))
        beside = elements_beside(tree, headline, start, end)
        found = [it for it in _candidates(tree, headline, beside) if it.kind < _BY_TEXT]
    if not found:
        return _read_labelled(tree, headline)
    return min(found, key=lambda it: it.rank).names


def _read_labelled(tree: PageTree, headline: int) -> tuple[str, ...]:
    """Read the names after the first text that only announces them, such as "Author:"."""
    texts, owners = tree.outline.leaf_texts, tree.outline.leaf_owners
    labels = list(_labels(texts, headline))
    own = set(own_elements(tree)) if labels else set()
    for leaf in labels:
        names = read_names(texts[leaf + 1]) if owners[leaf] in own else ()
        if names and all(map(_is_capitalised, names)):
            return names
    return ()


def _labels(texts: Sequence[str], headline: int) -> Iterator[int]:
    """Yield the texts that announce names, near the headline or at the article's end."""
    for leaf in range(max(0, headline - NEAR // 2), len(texts) - 1):
        min_length = 0 if leaf <= headline + NEAR else MIN_FAR_LABEL
        label = texts[leaf].strip() if len(texts[leaf]) <= MAX_BYLINE_LENGTH else ""
        if label and min_length <= len(label) <= MAX_LABEL and _BY.fullmatch(label):
            yield leaf


def read_names(text: str, language: str | None = None) -> tuple[str, ...]:
    """Split the text of a byline into names, by the conjunctions of its language.

    >>> read_names("Written by Ann Lee, Bo Ek | Updated 6 March 2026")
    ('Ann Lee', 'Bo Ek')
    >>> read_names("Testo e fotografie di Ida Neri")
    ('Ida Neri',)
    """
    text = " ".join(text.split())
    text = _BY.sub("", _CREDIT.sub("", text, count=1), count=1)
    text = _COUNT.sub("", _END.sub("", text, count=1))
    parts = [part.strip(" .,:;-\"'") for part in split_names(text, language)]
    return tuple(dict.fromkeys(part for part in parts if _is_name(part)))


def read_linked_names(texts: Iterable[str], language: str | None = None) -> list[str]:
    """Read the names in links to authors' pages, of which some only say what to do.

    A surname may be a word that says so elsewhere.

    >>> read_linked_names(["Ann Lee", "View all posts", "Web Editor", "Jonathan Head"])
    ['Ann Lee', 'Jonathan Head']
    """
    folded = (" ".join(text.split()) for text in texts)
    return [name for it in folded for name in read_names(it, language) or _whole_name(it)]


def _whole_name(text: str) -> tuple[str, ...]:
    first, _, last = text.rpartition(" ")
    return (text,) if last in _SURNAMES and _is_name(first) and _is_capitalised(first) else ()


def _find_range(outline: Outline, first: int, last: int) -> tuple[int, int]:
    """Return the range of the elements that begin with one of some leaves."""
    starts = outline.leaf_starts
    return bisect_left(starts, first), bisect_right(starts, last)


def _leaves_beside(outline: Outline, headline: int) -> tuple[int, int]:
    """Return the first and the last leaf that are beside the headline, with no text between."""
    last, left = headline, MAX_LEAD_LENGTH
    for text in outline.leaf_texts[headline + 1 : headline + 1 + NEAR_ASIDE]:
        last += 1
        left -= len(text)
        if left < 0:
            break
    return headline - NEAR_ASIDE // 2, last


def _candidates(tree: PageTree, headline: int, elements: Iterable[int]) -> Iterator[_Candidate]:
    outline = tree.outline
    done = -1
    near = range(max(0, headline - NEAR // 2), min(headline + NEAR + 1, len(outline.leaf_texts)))
    beginnings = {leaf for leaf in near if _BY.match(outline.leaf_texts[leaf])}
    for index in elements:
        leaf = outline.leaf_starts[index]
        distance = leaf - headline
        if index < done:
            continue
        element = outline.elements[index]
        names_byline, names_others = _judge_names(_markup_names(*map(element.get, _NAMES)))
        if names_others and not names_byline:
            continue
        # Most elements end here, so their text is measured after that.
        kind = _kind(element, names_byline, begins_so=leaf in beginnings)
        if kind is None or not _has_length_of_byline(outline, index, kind):
            continue
        names = _names_in(outline, index)
        if names and (kind < _BY_TEXT or all(map(_is_capitalised, names))):
            done = outline.ends[index]
            yield _Candidate(_rank(distance, kind), kind, names)


def _has_length_of_byline(outline: Outline, index: int, kind: int) -> bool:
    if outline.ends[index] - index > MAX_ELEMENTS:
        return False
    max_length = MAX_BYLINE_LENGTH if kind < _BY_TEXT else MAX_BY_LENGTH
    return 2 <= _text_length(outline, index) <= max_length


def _kind(element: Element, names_byline: bool, *, begins_so: bool) -> int | None:
    """Rate an element as a byline, 0 for the surest; `None` if it isn't one."""
    if names_byline or element.get("itemprop") == "author":
        return 0
    tag = element.tag
    if tag == "a":
        if "author" in (element.get("rel") or "").lower().split():
            return 0
        if _AUTHOR_PATH.search((element.get("href") or "").lower()):
            return 1
    return _BY_TEXT if begins_so and tag != "body" else None


def _names_in(outline: Outline, index: int) -> tuple[str, ...]:
    """Read a byline's names from its name elements, author links, or text."""
    linked: list[str] = []
    for inner in range(index + 1, outline.ends[index]):
        element = outline.elements[inner]
        names = _markup_names(*map(element.get, _NAMES))
        if _BYLINE_NAME.search(names) and _PERSON_NAME.search(names):
            linked += read_names(_text(outline, inner))
    if not linked:
        for inner in range(index + 1, outline.ends[index]):
            element = outline.elements[inner]
            if element.tag == "a" and _AUTHOR_PATH.search((element.get("href") or "").lower()):
                linked += read_names(_text(outline, inner))
    return tuple(dict.fromkeys(linked)) or read_names(_text(outline, index))


def _rank(distance: int, kind: int) -> tuple[int, int]:
    """Rank by kind, then by distance; a kind worse above the headline."""
    return (kind, distance) if distance >= 0 else (kind + 1, -distance)


def _markup_names(*names: str | None) -> str:
    return " ".join(filter(None, names))[:300].lower()


@lru_cache(maxsize=4096)  # the pages of a site share most of them
def _judge_names(markup: str) -> tuple[bool, bool]:
    """Whether an element's names are those of a byline, and those of a box of others."""
    names_byline = bool(_BYLINE_NAME.search(markup)) and not _COMMENTER.search(markup)
    return names_byline, bool(_OTHERS.search(markup))


def _text_length(outline: Outline, index: int) -> int:
    start, end = outline.leaf_starts[index], outline.leaf_ends[index]
    if end - start > MAX_BYLINE_LENGTH:
        return MAX_BYLINE_LENGTH + 1
    return sum(map(len, outline.leaf_texts[start:end]))


def _text(outline: Outline, index: int) -> str:
    return " ".join(outline.leaf_texts[outline.leaf_starts[index] : outline.leaf_ends[index]])


def _is_capitalised(name: str) -> bool:
    return all(word[0].isupper() or word in _PARTICLES for word in name.split())


def _is_name(text: str) -> bool:
    return (
        2 <= len(text) <= MAX_NAME_LENGTH
        and len(text.split()) <= MAX_WORDS
        and _LETTER.search(text) is not None
        and _NOT_A_NAME.search(text) is None
    )
