"""Drop what a page hides, without losing the text around it.

Last step of `forest_crawler.page.tree.parse_page`: text that no reader sees isn't content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml import etree

from forest_crawler.page.xpath import AttributePath, Element

MAX_SINGLE = 100
"""Elements that are measured or dropped one by one, though they may be nested."""

_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)")
_PANEL = re.compile(r"accordion|faq|tab-?pane|tabbed|collaps|expand")
_NOT_A_PANEL = re.compile(
    r"(?<![a-z])(?:nav|(?:sub)?menu|icon|cookie|consent|log-?in|search|modal|ads?(?![a-z]))"
)
_SLIDE = re.compile(r"slide(?!r)|carousel-?_?(?:item|cell)|gallery-?_?(?:item|cell)")
_TAB = re.compile(r"tab-?pane")  # counts whatever its id: Bootstrap names panes `nav-home`
_PANEL_TAGS = frozenset("div section article p ul ol li dl dd".split())
# The attribute axis is faster in libxml2 than a predicate on every element. Searching the source
# for the names first, to skip pages without them, takes as long; so does a union of the three,
# which libxml2 merges node by node. Most styles are colours and sizes, and every element that is
# returned costs as much as a dozen that are not; but libxml2 copies a style for each `contains`.
_STYLED = AttributePath("descendant::*/@style[contains(., 'is') or contains(., 'IS')]")
_MARKED_HIDDEN = AttributePath("descendant::*/@hidden")
_ARIA_HIDDEN = AttributePath("descendant::*/@aria-hidden[. = 'true']")
# Without EXSLT, whose set-up per call takes ten times as long as measuring a menu.
_TEXT_LENGTH = etree.XPath("string-length()", regexp=False)
_DROPPED = "forest-dropped"  # a tag that no page has: renamed elements are stripped in one pass


def has_hidden(body: Element) -> bool:
    """Whether an element in a body has the attribute `hidden`."""
    return bool(_MARKED_HIDDEN(body))


def drop_hidden(body: Element, *, may_be_marked: bool = True) -> None:
    """Drop hidden elements (`hidden`, `aria-hidden`, inline style).

    Keeps those with at least half of the text: some pages hide their body until a script has run or
    a dialogue is closed. Also keeps panels that a reader opens. Without `may_be_marked`, no element
    has the attribute `hidden`.
    """
    hidden = _find_hidden(body, may_be_marked)
    if not hidden:
        return
    if len(hidden) <= MAX_SINGLE and has_more_text(body, 2 * max(map(text_length, hidden))):
        drop_elements(body, hidden)
        return
    half = text_length(body) / 2
    outer = [e for e in hidden if not any(above in hidden for above in e.iterancestors())]
    small = {e for e in outer if text_length(e) < half}
    if len(small) < len(outer):  # the page itself stays; elements hidden inside it may go
        inner = hidden - set(outer)
        lengths = _text_lengths(body, inner)
        small |= {e for e in inner if lengths[e] < half}
    drop_elements(body, small)


def drop_elements(root: Element, elements: Iterable[Element]) -> None:
    """Remove elements from a tree with their content, but keep the text after them."""
    dropped = list(elements)
    if len(dropped) <= MAX_SINGLE:
        for element in dropped:
            _drop_element(element)
        return
    for element in dropped:
        element.tag = _DROPPED
    etree.strip_elements(root, _DROPPED, with_tail=False)


def has_more_text(body: Element, length: float) -> bool:
    """Whether the body has more than `length` characters; paragraphs come first."""
    seen = 0
    for paragraph in body.iter("p"):
        seen += len(paragraph.text or "")
        if seen > length:
            return True
    return text_length(body) > length


def text_length(element: Element) -> float:
    """Count the characters of an element's text, blanks included."""
    length = _TEXT_LENGTH(element)
    assert isinstance(length, float)  # noqa: S101  the result of string-length
    return length


def _drop_element(element: Element) -> None:
    """Remove one element, without a walk over the whole tree."""
    parent, previous, tail = element.getparent(), element.getprevious(), element.tail
    if parent is None:
        return
    if tail and previous is not None:
        previous.tail = (previous.tail or "") + tail
    elif tail:
        parent.text = (parent.text or "") + tail
    parent.remove(element)


def _find_hidden(body: Element, may_be_marked: bool) -> set[Element]:
    hidden = {e for e in _STYLED(body) if _HIDING_STYLE.search(e.get("style", "").lower())}
    if may_be_marked:
        hidden.update(_MARKED_HIDDEN(body))
    hidden.update(_ARIA_HIDDEN(body))
    return {element for element in hidden if not _is_panel(element)}


def _is_panel(element: Element) -> bool:
    """Whether a reader can open an element: an answer of a FAQ, a second tab, a picture's slide."""
    if element.tag not in _PANEL_TAGS:
        return False
    kind = " ".join(filter(None, (element.get("class"), element.get("role")))).lower()
    names = f"{kind} {element.get('id', '').lower()}"
    checked = kind if _TAB.search(kind) else names
    if not (_PANEL.search(names) or (_SLIDE.search(names) and _shows_picture(element))):
        return False
    return not _NOT_A_PANEL.search(checked)


def _shows_picture(element: Element) -> bool:
    return next(element.iter("img", "amp-img"), None) is not None


def _text_lengths(body: Element, wanted: set[Element]) -> dict[Element, float]:
    """Count the characters of each wanted element in one walk, nested or not."""
    lengths: dict[Element, float] = {}
    seen = 0
    for event, element in etree.iterwalk(body, events=("start", "end")):
        if event == "start":
            if element in wanted:
                lengths[element] = -seen
            seen += len(element.text or "")
        else:
            if element in wanted:
                lengths[element] += seen
            seen += len(element.tail or "")
    return lengths
