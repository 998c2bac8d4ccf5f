"""What stands in another place of the parsed tree than readers see it in.

Part of `forest_crawler.tree.parse_page`, before anything is dropped. libxml2 keeps head, body and
page to their tags; browsers do not. And some servers send parts of a page late, for a script to put
into their places.
"""

from __future__ import annotations

from lxml import etree

from forest_crawler.xpath import Element, ElementPath

STREAMED = "S:"
"""How the name of a part that was sent late begins."""

MOST_STREAMED = 1000
"""Parts that are put into their places; each may be in another, and so on."""

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
    language = next((root.get("lang") for root in (html, *further) if root.get("lang")), None)
    if language:
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
    body.extend(list(body.itersiblings()))
    for page in further:
        for part in (page, *page.iterchildren("head", "body")):
            part.tag = "div"
        body.append(page)


def place_streamed(body: Element) -> None:
    """Put what a server has sent late, and hidden, where a script would show it.

    React sends the frame of a page first, with a numbered template where a part is still missing
    (`B:1`, or `P:1` within another part), and the parts behind it as they come (`S:1`, hidden).
    """
    places = {place.get("id"): place for place in body.iter("template")}
    for count, part in enumerate(_STREAMED(body)):
        del part.attrib["hidden"]
        number = part.get("id", "")[len(STREAMED) :]
        place = places.get(f"B:{number}", places.get(f"P:{number}"))
        if count < MOST_STREAMED and place is not None and _is_open(place, part):
            _leave_place(part)
            place.addnext(part)


def _is_open(place: Element, part: Element) -> bool:
    """Whether a part can stand there: not within itself, and not where all is dropped."""
    return not any(above is part or above.tag == "template" for above in place.iterancestors())


def _leave_place(element: Element) -> None:
    """Leave the text behind an element where it is, for the element to be put elsewhere.

    Behind an empty template, which is dropped with all others: a long row of texts that are joined
    one by one takes the square of its length.
    """
    left = etree.Element("template")
    element.addprevious(left)
    left.tail, element.tail = element.tail, None
