"""Move misplaced and streamed nodes to where browsers render them.

Part of `forest_crawler.page.tree.parse_page`, before anything is dropped. libxml2 ends head, body
and page at their end tags; browsers do not. And React streams fragments of a page after its frame,
for a script to put into place.
"""

from __future__ import annotations

import re

from lxml import etree

from forest_crawler.page.xpath import Element, ElementPath

FRAGMENT_PREFIX = "S:"
"""How the id of a streamed fragment starts."""

MAX_FRAGMENTS = 1000
"""Fragments that are put into place; fragments may be nested in each other."""

MAX_LEVELS = 250
"""Ancestors of a fragment's slot. Nested fragments would exceed the parser's bound on depth, and
checking all ancestors of each would take quadratic time."""

_FRAGMENT_ID = re.compile(FRAGMENT_PREFIX + "[0-9a-f]+")
_FRAME_SCRIPT = re.compile(rb'\$R[CR]\("(B:[0-9a-f]+)","(S:[0-9a-f]+)"')
_FRAGMENT_SCRIPT = re.compile(rb'\$RS\("(S:[0-9a-f]+)","(P:[0-9a-f]+)"')
_FRAGMENTS = ElementPath(f"descendant::*[@hidden and starts-with(@id, '{FRAGMENT_PREFIX}')]")
_HEAD_TAGS = frozenset("base link meta noscript object script style template title".split())
_METADATA_TAGS = frozenset("base link meta title".split())


def assemble_body(html: Element) -> Element | None:
    """Move into the body what browsers render there; return the body, if any.

    Browsers end the head at the first element that does not belong there, and ignore the end of the
    body or the page if more follows: templates made of whole pages have such ends in the middle.
    """
    head, body = first_child(html, "head"), first_child(html, "body")
    strays = [] if head is None else [e for e in head if e.tag not in _HEAD_TAGS]
    more_pages = list(html.itersiblings("html"))  # one for each end of the page with more after it
    if body is None and (strays or more_pages):
        body = etree.SubElement(html, "body")
    if body is None:
        return None
    if more_pages or next(body.itersiblings(), None) is not None:
        _gather_metadata(html, head, more_pages)
    _prepend_strays(body, strays)
    _append_rest(body, more_pages)
    return body


def first_child(element: Element, tag: str) -> Element | None:
    """Return the first child with a tag; three times as fast as `find`."""
    return next(element.iterchildren(tag), None)


def _gather_metadata(html: Element, head: Element | None, more_pages: list[Element]) -> None:
    """Append metadata from elsewhere to the first head; set the first language."""
    heads = [part for root in (html, *more_pages) for part in root.iterchildren("head")]
    holders = [html, *more_pages, *(part for part in heads if part is not head)]
    found = [e for holder in holders for e in holder if e.tag in _METADATA_TAGS]
    if head is None:
        head = etree.Element("head")
    else:
        _detach_tail(head)  # the head may come after the body
    html.insert(0, head)
    for element in found:
        _detach_tail(element)
        head.append(element)
    languages = (root.get("lang") or root.get("xml:lang") for root in (html, *more_pages))
    if language := next(filter(None, languages), None):
        html.set("lang", language)


def _prepend_strays(body: Element, strays: list[Element]) -> None:
    """Move elements from the head to the start of the body."""
    if strays:
        stray_text, body.text = body.text, None
        for position, element in enumerate(strays):
            body.insert(position, element)
        strays[-1].tail = (strays[-1].tail or "") + (stray_text or "")


def _append_rest(body: Element, more_pages: list[Element]) -> None:
    """Move text and elements after the body, and further pages, to its end."""
    if body.tail and not body.tail.isspace():
        etree.SubElement(body, "span").text = body.tail
    body.tail = None
    following = list(body.itersiblings())
    for holder in (*more_pages, *following):
        for part in (holder, *holder.iterchildren("head", "body")):
            if part.tag in ("html", "head", "body"):
                part.tag = "div"
    body.extend(following)
    body.extend(more_pages)


def place_fragments(body: Element, source: bytes) -> None:
    """Move streamed, hidden fragments to the slots where a script would show them.

    React sends the frame of a page first, with a numbered template as the slot of each missing
    fragment (`B:1`, or `P:1` inside another fragment), and later the fragments (`S:1`, hidden).
    Scripts in the source say which fragment goes where; without one, the numbers are equal.
    """
    slots = {slot.get("id"): slot for slot in body.iter("template")}
    scripted = _read_slots(source)
    taken = frozenset(scripted.values())
    for count, fragment in enumerate(
        e for e in _FRAGMENTS(body) if _FRAGMENT_ID.fullmatch(e.get("id", ""))
    ):
        del fragment.attrib["hidden"]
        name = fragment.get("id", "")
        same_number = [kind + name[1:] for kind in "BP" if kind + name[1:] not in taken]
        wanted = [scripted[name]] if name in scripted else same_number
        slot = next((slots[each] for each in wanted if each in slots), None)
        if count < MAX_FRAGMENTS and slot is not None and _is_usable(slot, fragment):
            _detach_tail(fragment)
            slot.addprevious(fragment)  # `addnext` would put it after the text there


def _read_slots(source: bytes) -> dict[str, str]:
    """Return the slot of each fragment that a script in the source puts into place."""
    pairs = [(fragment, slot) for slot, fragment in _FRAME_SCRIPT.findall(source)]
    pairs += _FRAGMENT_SCRIPT.findall(source)
    return {fragment.decode(): slot.decode() for fragment, slot in pairs}


def _is_usable(slot: Element, fragment: Element) -> bool:
    """Whether a slot is outside the fragment and templates, and not too deep."""
    for level, above in enumerate(slot.iterancestors()):
        if above is fragment or above.tag == "template" or level > MAX_LEVELS:
            return False
    return True


def _detach_tail(element: Element) -> None:
    """Leave the text after an element where it is, before the element is moved.

    An empty template keeps the text; all templates of a body are dropped later. To join a long row
    of texts one by one would take quadratic time.
    """
    left = etree.Element("template")
    element.addprevious(left)
    left.tail, element.tail = element.tail, None
