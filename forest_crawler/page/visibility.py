"""What a page hides, and how elements are taken out of its tree.

Last step of `forest_crawler.page.tree.parse_page`: text that no reader sees is no content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml import etree

from forest_crawler.page.xpath import Element, ElementPath

_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")
_PANEL = re.compile(r"accordion|faq|tab-?pane|tabbed|collaps|expand")
_NO_PANEL = re.compile(
    r"(?<![a-z])(?:nav|(?:sub)?menu|icon|cookie|consent|log-?in|search|modal|ads?(?![a-z]))"
)
_TAB = re.compile(r"tab-?pane")  # of a row of tabs, whatever its own name: Bootstrap has `nav-home`
_PANEL_TAGS = frozenset("div section article p ul ol li dl dd".split())
# By the attribute axis: faster in libxml2 than a predicate on every element. A search of the source
# for their names, to spare pages without them, takes as long, and so does a union of the three,
# which libxml2 merges node by node. Most styles are colours and sizes, and every element that comes
# out costs as much as a dozen that do not.
_STYLED = ElementPath(
    "descendant::*/@style["
    "contains(., 'isplay') or contains(., 'isibility') or contains(., 'ISPLAY')"
    " or contains(., 'ISIBILITY')]/.."
)
_MARKED_HIDDEN = ElementPath("descendant::*/@hidden/..")
_ARIA_HIDDEN = ElementPath("descendant::*/@aria-hidden[. = 'true']/..")
_FEW = 100  # elements that are measured or dropped one by one, though they may be nested
# Without EXSLT, which lxml would set up for every call: ten times as long as to measure a menu.
_TEXT_LENGTH = etree.XPath("string-length()", regexp=False)
_DROPPED = "forest-dropped"  # a tag that no page has: elements renamed so are stripped in one pass


def drop_hidden(body: Element) -> None:
    """Drop what is hidden (`hidden`, `aria-hidden`, inline style).

    Except where it holds half of the text or more: pages that hide their body until a script has
    run, or behind a dialogue, show it in the end. And but for panels that a reader opens.
    """
    hidden = _find_hidden(body)
    if not hidden:
        return
    if len(hidden) <= _FEW and has_more_text(body, 2 * max(map(text_length, hidden))):
        drop_elements(body, hidden)
        return
    half = text_length(body) / 2
    outer = [e for e in hidden if not any(above in hidden for above in e.iterancestors())]
    small = {e for e in outer if text_length(e) < half}
    if len(small) < len(outer):  # what holds the page stays; what is hidden in it again may not
        inner = hidden - set(outer)
        lengths = _text_lengths(body, inner)
        small |= {e for e in inner if lengths[e] < half}
    drop_elements(body, small)


def drop_elements(root: Element, elements: Iterable[Element]) -> None:
    """Take elements out of a tree, with all that is in them, leaving the text behind them."""
    dropped = list(elements)
    if len(dropped) <= _FEW:
        for element in dropped:
            _drop_element(element)
        return
    for element in dropped:
        element.tag = _DROPPED
    etree.strip_elements(root, _DROPPED, with_tail=False)


def has_more_text(body: Element, least: float) -> bool:
    """Whether the body's text is longer than that; a few paragraphs often show it."""
    seen = 0
    for paragraph in body.iter("p"):
        seen += len(paragraph.text or "")
        if seen > least:
            return True
    return text_length(body) > least


def text_length(element: Element) -> float:
    """The characters of an element's text, blanks included."""
    length = _TEXT_LENGTH(element)
    assert isinstance(length, float)  # noqa: S101  what XPath's string-length gives
    return length


def _drop_element(element: Element) -> None:
    """Drop one without a walk over the whole tree."""
    parent, before, behind = element.getparent(), element.getprevious(), element.tail
    if parent is None:
        return
    if behind and before is not None:
        before.tail = (before.tail or "") + behind
    elif behind:
        parent.text = (parent.text or "") + behind
    parent.remove(element)


def _find_hidden(body: Element) -> set[Element]:
    hidden = {e for e in _STYLED(body) if _HIDING_STYLE.search(e.get("style", "").lower())}
    hidden.update(_MARKED_HIDDEN(body))
    hidden.update(_ARIA_HIDDEN(body))
    return {element for element in hidden if not _is_panel(element)}


def _is_panel(element: Element) -> bool:
    """Whether a reader opens it: an answer in a list of questions, the second of two tabs."""
    if element.tag not in _PANEL_TAGS:
        return False
    sort = " ".join(filter(None, (element.get("class"), element.get("role")))).lower()
    names = f"{sort} {element.get('id', '').lower()}"
    refused = sort if _TAB.search(sort) else names
    return bool(_PANEL.search(names)) and not _NO_PANEL.search(refused)


def _text_lengths(body: Element, wanted: set[Element]) -> dict[Element, float]:
    """The length of the text in each wanted element, in one walk however they are nested."""
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
