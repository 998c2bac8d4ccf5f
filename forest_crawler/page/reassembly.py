"""What stands in another place of the parsed tree than readers see it in.

Part of `forest_crawler.page.tree.parse_page`, before anything is dropped. libxml2 keeps head, body
and page to their tags; browsers do not. And some servers send parts of a page late, for a script to
put into their places.
"""

from __future__ import annotations

import re

from lxml import etree

from forest_crawler.page.xpath import Element, ElementPath

STREAMED = "S:"
"""How the name of a part that was sent late begins."""

MAX_STREAMED = 1000
"""Parts that are put into their places; each may be in another, and so on."""

MAX_LEVELS = 250
"""Elements around a place: parts put into parts would pass the parser's bound on depth, and to look
at all that is above each would take the square of it."""

_NUMBERED = re.compile(STREAMED + "[0-9a-f]+")
_PUT_IN_FRAME = re.compile(rb'\$R[CR]\("(B:[0-9a-f]+)","(S:[0-9a-f]+)"')
_PUT_IN_PART = re.compile(rb'\$RS\("(S:[0-9a-f]+)","(P:[0-9a-f]+)"')
_STREAMED = ElementPath(f"descendant::*[@hidden and starts-with(@id, '{STREAMED}')]")
_HEAD_TAGS = frozenset("base link meta noscript object script style template title".split())
_METADATA_TAGS = frozenset("base link meta title".split())


def settle_body(html: Element) -> Element | None:
    """The body, with all that libxml2 has put elsewhere and browsers show in it.

    They end the head at the first element that does not belong there, and take no notice of the
    body's end, or the page's, if there is more: templates put together from whole pages have such
    ends in the middle.
    """
    head, body = first_child(html, "head"), first_child(html, "body")
    strays = [] if head is None else [e for e in head if e.tag not in _HEAD_TAGS]
    further = list(html.itersiblings("html"))  # a further one behind every end of the page
    if body is None and (strays or further):
        body = etree.SubElement(html, "body")
    if body is None:
        return None
    if further or next(body.itersiblings(), None) is not None:
        _gather_metadata(html, head, further)
    _put_first(body, strays)
    _put_last(body, further)
    return body


def first_child(element: Element, tag: str) -> Element | None:
    """The first child with a tag; `find` takes three times as long."""
    return next(element.iterchildren(tag), None)


def _gather_metadata(html: Element, head: Element | None, further: list[Element]) -> None:
    """Put what is stated outside of the first head behind what is stated in it."""
    heads = [part for root in (html, *further) for part in root.iterchildren("head")]
    holders = [html, *further, *(part for part in heads if part is not head)]
    found = [e for holder in holders for e in holder if e.tag in _METADATA_TAGS]
    if head is None:
        head = etree.Element("head")
    else:
        _leave_place(head)  # which may be behind the body
    html.insert(0, head)
    for element in found:
        _leave_place(element)
        head.append(element)
    said = (root.get("lang") or root.get("xml:lang") for root in (html, *further))
    if language := next(filter(None, said), None):
        html.set("lang", language)


def _put_first(body: Element, strays: list[Element]) -> None:
    if strays:
        stray_text, body.text = body.text, None
        for place, element in enumerate(strays):
            body.insert(place, element)
        strays[-1].tail = (strays[-1].tail or "") + (stray_text or "")


def _put_last(body: Element, further: list[Element]) -> None:
    """Put the text and the elements that stand behind the body, and further pages, at its end."""
    if body.tail and not body.tail.isspace():
        etree.SubElement(body, "span").text = body.tail
    body.tail = None
    behind = list(body.itersiblings())
    for holder in (*further, *behind):
        for part in (holder, *holder.iterchildren("head", "body")):
            if part.tag in ("html", "head", "body"):
                part.tag = "div"
    body.extend(behind)
    body.extend(further)


def place_streamed(body: Element, data: bytes) -> None:
    """Put what a server has sent late, and hidden, where a script would show it.

    React sends the frame of a page first, with a numbered template where a part is still missing
    (`B:1`, or `P:1` within another part), and the parts behind it as they come (`S:1`, hidden).
    The source, `data`, has the scripts that say which belongs where; else it is the same number.
    """
    places = {place.get("id"): place for place in body.iter("template")}
    told = _read_places(data)
    taken = frozenset(told.values())
    for count, part in enumerate(
        e for e in _STREAMED(body) if _NUMBERED.fullmatch(e.get("id", ""))
    ):
        del part.attrib["hidden"]
        name = part.get("id", "")
        alike = [kind + name[1:] for kind in "BP" if kind + name[1:] not in taken]
        wanted = [told[name]] if name in told else alike
        place = next((places[each] for each in wanted if each in places), None)
        if count < MAX_STREAMED and place is not None and _is_open(place, part):
            _leave_place(part)
            place.addprevious(part)  # `addnext` would put it behind the text there


def _read_places(data: bytes) -> dict[str, str]:
    """The place of each part that a script in the source puts somewhere."""
    pairs = [(part, place) for place, part in _PUT_IN_FRAME.findall(data)]
    pairs += _PUT_IN_PART.findall(data)
    return {part.decode(): place.decode() for part, place in pairs}


def _is_open(place: Element, part: Element) -> bool:
    """Whether a part can stand there: not within itself or a template, and not too far down."""
    for level, above in enumerate(place.iterancestors()):
        if above is part or above.tag == "template" or level > MAX_LEVELS:
            return False
    return True


def _leave_place(element: Element) -> None:
    """Leave the text behind an element where it is, for the element to be put elsewhere.

    Behind an empty template, which is dropped from a body with all others: a long row of texts that
    are joined one by one takes the square of its length.
    """
    left = etree.Element("template")
    element.addprevious(left)
    left.tail, element.tail = element.tail, None
