"""Bytes → `PageTree`: decoded, cleaned, dfs-numbered; parsed once, shared by every method.

First station of every page. Forest and all page-level methods read this one tree and
answer with nodes of it (`forest_crawler.selection`).

The tree proper is the page's `body`: as in the paper's figure 3 it has dfs 1 and level 1.
`head` stays reachable for metadata, but is never content.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from forest_crawler.encoding import recode_page
from forest_crawler.errors import EmptyPageError
from forest_crawler.memory import check_memory
from forest_crawler.xpath import Element, ElementPath

UNSEEN_TAGS = (
    "script style template iframe frame noframes object embed applet svg canvas "
    "audio video datalist meta link base title"
).split()
"""Elements whose text a reader never sees, dropped with all that is in them.

`title`, `meta` and `link` also turn up in a body: tag soup, or microdata.
"""

SCRIPTLESS_SHARE = 0.75
"""The share of a page's text from which its `noscript` parts are the page.

Elsewhere they ask to turn scripts on; some forums have all their posts there and a script's empty
frame beside it.
"""

INLINE_TAGS = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q "
    "rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr".split()
)
"""Elements that do not start a new line; everything else does."""

_CONTROLS = bytes(c for c in range(0x20) if c not in b"\t\n\f\r") + b"\x7f"
_TO_CLEAN = tuple(_CONTROLS + b"\f")
_FORM_FEED_TO_BLANK = bytes.maketrans(b"\f", b" ")  # white space to HTML, no character to XML
# Character references to what XML has no place for: the parser lets them through, and an XPath that
# names such an attribute value could not be run.
_FORBIDDEN_REFERENCE = re.compile(
    rb"&#(?:0*(?:[1-8]|1[124-9]|2[0-9]|3[01]|6553[45])(?![0-9])"
    rb"|[xX]0*(?:[1-8bcefBCEF]|1[0-9a-fA-F]|[fF]{3}[efEF])(?![0-9a-fA-F]));?"
)  # without IGNORECASE: with it, the search is twice as slow
_NONCHARACTERS = ("\ufffe".encode(), "\uffff".encode())
_HEAD_TAGS = frozenset("base link meta noscript object script style template title".split())
_TITLE_OPENED = re.compile(rb"<title\b[^>]*>", re.IGNORECASE)
_TITLE_CLOSED = re.compile(rb"</title\b", re.IGNORECASE)
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")
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


@dataclass(frozen=True, slots=True, eq=False)
class TextLeaf:
    """A non-blank piece of text: an element's own text, or the tail behind one of its children."""

    element: Element
    is_tail: bool
    text: str


@dataclass(frozen=True, eq=False)
class Outline:
    """The body's elements in depth-first order, as parallel sequences (index i has dfs i + 1).

    The subtree of element i is `elements[i:ends[i]]`, its text is
    `leaves[leaf_starts[i]:leaf_ends[i]]`: any sum over a subtree is a difference of prefix sums.
    """

    elements: list[Element]
    parents: list[int]  # -1 for body
    levels: list[int]  # body is level 1
    ends: list[int]
    leaf_texts: list[str]
    leaf_bearers: list[Element]  # whose text the leaf is, or whose tail
    leaf_owners: list[int]  # the element that directly holds the leaf
    leaf_starts: list[int]
    leaf_ends: list[int]

    @cached_property
    def leaves(self) -> list[TextLeaf]:
        """The text leaves as nodes; who reads their text alone has it in `leaf_texts`."""
        return [
            TextLeaf(bearer, bearer is not self.elements[owner], text)
            for bearer, owner, text in zip(
                self.leaf_bearers, self.leaf_owners, self.leaf_texts, strict=True
            )
        ]

    @cached_property
    def positions(self) -> dict[Element, int]:
        """The index of every element."""
        return {element: i for i, element in enumerate(self.elements)}

    def path(self, index: int) -> list[int]:
        """The indices from body down to an element, both included."""
        found = []
        while index >= 0:
            found.append(index)
            index = self.parents[index]
        return found[::-1]

    def children(self, index: int) -> Iterator[int]:
        """The indices of an element's children, in order."""
        child, end = index + 1, self.ends[index]
        while child < end:
            yield child
            child = self.ends[child]

    def document_order(self) -> Iterator[int]:
        """Elements and text leaves as they follow each other; leaf k is len(elements) + k."""
        size, leaf = len(self.elements), 0
        for element, start in enumerate(self.leaf_starts):
            yield from range(size + leaf, size + start)
            yield element
            leaf = start
        yield from range(size + leaf, size + len(self.leaves))


@dataclass(frozen=True, eq=False)
class PageTree:
    """A page as a cleaned tree. Nobody changes `html` after `parse_page` has made it."""

    html: Element
    body: Element
    encoding: str
    url: str | None
    language: str | None  # what the page says of itself: base code, lower case
    structured: tuple[str, ...]  # the page's JSON-LD scripts, as they stand
    truncated: bool  # the parser gave up in the middle: the end of the page is missing

    @cached_property
    def outline(self) -> Outline:
        """The numbered elements and text leaves, made when first asked for."""
        return _outline(self.body)

    @cached_property
    def annotated(self) -> Element:
        """A copy of the body in which every element carries its `dfs` number and `level`.

        The paper's wrappers are XPaths over this form. Two attributes of the page's own that have
        these names are overwritten, in the copy only.
        """
        twin = copy.deepcopy(self.body)
        twin.tail = None
        # A list: elements whose parents nobody holds cost lxml a climb to the root each.
        for i, element in enumerate(list(twin.iter(etree.Element))):
            element.set("dfs", str(i + 1))
            element.set("level", str(self.outline.levels[i]))
        return twin

    def annotated_xml(self) -> str:
        """The dfs-annotated body as XML text."""
        return etree.tostring(self.annotated, encoding="unicode", pretty_print=True)

    def select_annotated(self, path: ElementPath) -> list[Element]:
        """Elements of this tree whose annotated twins the path selects, in document order."""
        return [self.outline.elements[int(e.get("dfs", "")) - 1] for e in path(self.annotated)]


def parse_page(
    source: bytes | str, *, charset: str | None = None, url: str | None = None
) -> PageTree:
    """Make the tree of a page.

    `charset` is the one of the HTTP header, if known. Raises `EmptyPageError` where the page has
    no element to show; every other input, however broken, gives a tree.

    >>> tree = parse_page(b"<p>One<p>Two <b>three</b>")
    >>> [(e.tag, level) for e, level in zip(tree.outline.elements, tree.outline.levels)]
    [('body', 1), ('p', 2), ('p', 2), ('b', 3)]
    """
    encoding, data = (
        recode_page(source, charset)
        if isinstance(source, bytes)
        else ("utf-8", source.encode("utf-8", "replace"))
    )
    data = _clean(data)
    html, truncated = _parse(data, url)
    if _child(html, "body") is None and (mended := _close_title(data)) != data:
        html, truncated = _parse(mended, url)
    structured, scriptless = _read_scripts(html)
    body = _settle_body(html)
    if body is None:
        raise EmptyPageError("no visible element, nothing to extract from", url)
    etree.strip_elements(body, *UNSEEN_TAGS, with_tail=False)
    _settle_scriptless(body, scriptless)
    _drop_hidden(body)
    return PageTree(html, body, encoding, url, _language(html, body), structured, truncated)


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


def _clean(data: bytes) -> bytes:
    """UTF-8 that holds no character, and no reference to one, that XML could not."""
    if _NONCHARACTERS[0][:1] in data:  # most pages have no such byte at all
        for character in _NONCHARACTERS:
            data = data.replace(character, b"")
    if any(control in data for control in _TO_CLEAN):  # half as long as to translate in any case
        data = data.translate(_FORM_FEED_TO_BLANK, _CONTROLS)
    return _FORBIDDEN_REFERENCE.sub(b" ", data)


def _parse(data: bytes, url: str | None) -> tuple[Element, bool]:
    # huge_tree: libxml2 otherwise stops at 255 levels; with it at 2,047, both without an exception.
    # The table of ids serves XPath's id() alone, which `ElementPath` writes in another way.
    parser = etree.HTMLParser(
        encoding="utf-8",
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as err:  # older releases of libxml2 refuse an empty document
        check_memory(err)
        root = None
    if root is None:
        raise EmptyPageError("neither an element nor text, nothing to extract from", url)
    # A resource limit ends the parse, so it is the last thing the log holds.
    last = parser.error_log.last_error
    return root, last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT


def _close_title(data: bytes) -> bytes:
    """Close a title that is open to the end and so swallows the whole page."""
    opened = _TITLE_OPENED.search(data)
    if opened is None or _TITLE_CLOSED.search(data, opened.end()):
        return data
    end = data.find(b"<", opened.end())
    return data if end < 0 else data[:end] + b"</title>" + data[end:]


def _settle_body(html: Element) -> Element | None:
    """The body, with what stands in the head and does not belong there put back into it.

    Browsers end the head at the first such element; libxml2 goes on inside it.
    """
    head, body = _child(html, "head"), _child(html, "body")
    strays = [] if head is None else [e for e in head if e.tag not in _HEAD_TAGS]
    if not strays:
        return body
    if body is None:
        body = etree.SubElement(html, "body")
    stray_text, body.text = body.text, None
    for place, element in enumerate(strays):
        body.insert(place, element)
    strays[-1].tail = (strays[-1].tail or "") + (stray_text or "")
    return body


def _child(element: Element, tag: str) -> Element | None:
    return next(element.iterchildren(tag), None)  # `find` takes three times as long


def _read_scripts(html: Element) -> tuple[tuple[str, ...], list[Element]]:
    """The JSON-LD scripts' text and the `noscript` elements.

    Nothing holds the other scripts any longer, or to strip them would take its time.
    """
    structured: list[str] = []
    scriptless: list[Element] = []
    for element in html.iter("script", "noscript"):
        if element.tag == "noscript":
            scriptless.append(element)
        elif _is_json_ld(element.get("type")):
            structured.append(element.text or "")
    return tuple(structured), scriptless


def _is_json_ld(kind: str | None) -> bool:
    return kind is not None and kind.strip().lower().startswith("application/ld+json")


def _language(html: Element, body: Element) -> str | None:
    """The base code of `lang` ('pt' for 'pt-BR'), else of meta content-language.

    No `meta` is left in the body, so that it need not be searched.
    """
    said = html.get("lang") or html.get("xml:lang")  # the HTML parser knows no namespaces
    if not said:
        for meta in (m for part in html if part is not body for m in part.iter("meta")):
            if (meta.get("http-equiv") or "").lower() == "content-language":
                said = meta.get("content")
    code = re.split(r"[-_,\s]", said.strip().lower())[0] if said else ""
    return code if re.fullmatch(r"[a-z]{2,3}", code) else None


def _settle_scriptless(body: Element, scriptless: list[Element]) -> None:
    """Drop the body's `noscript` parts, or make them ordinary ones where they are the page."""
    parts = [e for e in scriptless if any(above is body for above in e.iterancestors("body"))]
    outermost = [e for e in parts if next(e.iterancestors("noscript"), None) is None]
    held = sum(_text_length(part) for part in outermost)
    if held and not _has_more_text(body, held / SCRIPTLESS_SHARE):
        for part in parts:
            part.tag = "div"
    else:
        drop_elements(body, outermost)


def _has_more_text(body: Element, least: float) -> bool:
    """Whether the body's text is longer than that; a few paragraphs often show it."""
    seen = 0
    for paragraph in body.iter("p"):
        seen += len(paragraph.text or "")
        if seen > least:
            return True
    return _text_length(body) > least


def _text_length(element: Element) -> float:
    length = _TEXT_LENGTH(element)
    assert isinstance(length, float)  # noqa: S101  what XPath's string-length gives
    return length


def _drop_hidden(body: Element) -> None:
    """Drop what is hidden (`hidden`, `aria-hidden`, inline style).

    Except where it holds half of the text or more: pages that hide their body until a script has
    run, or behind a dialogue, show it in the end.
    """
    hidden = _find_hidden(body)
    if not hidden:
        return
    if len(hidden) <= _FEW and _has_more_text(body, 2 * max(map(_text_length, hidden))):
        drop_elements(body, hidden)
        return
    half = _text_length(body) / 2
    outer = [e for e in hidden if not any(above in hidden for above in e.iterancestors())]
    small = {e for e in outer if _text_length(e) < half}
    if len(small) < len(outer):  # what holds the page stays; what is hidden in it again may not
        inner = hidden - set(outer)
        lengths = _text_lengths(body, inner)
        small |= {e for e in inner if lengths[e] < half}
    drop_elements(body, small)


def _find_hidden(body: Element) -> set[Element]:
    hidden = {e for e in _STYLED(body) if _HIDING_STYLE.search(e.get("style", "").lower())}
    hidden.update(_MARKED_HIDDEN(body))
    hidden.update(_ARIA_HIDDEN(body))
    return hidden


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


def _outline(body: Element) -> Outline:
    """Number the body in one walk; every page passes here, so the loop has no call it can spare."""
    elements = list(body.iter("*"))
    size = len(elements)
    parents, levels, starts = [-1] * size, [1] * size, [0] * size
    ends, leaf_ends = [size] * size, [0] * size
    texts: list[str] = []
    bearers: list[Element] = []
    owners: list[int] = []
    above = [element.getparent() for element in elements]
    parent, level, last_open = -1, 0, above[0]
    for index, holder in enumerate([*above, body]):  # at the end, all but body is closed
        while last_open is not holder:
            closed, parent, level = parent, parents[parent], level - 1
            ends[closed], leaf_ends[closed] = index, len(texts)
            text, last_open = elements[closed].tail, elements[parent]
            if text and not text.isspace():
                texts.append(text)
                bearers.append(elements[closed])
                owners.append(parent)
        if index == size:
            break
        level += 1
        parents[index], levels[index], starts[index] = parent, level, len(texts)
        parent, last_open = index, elements[index]
        text = last_open.text
        if text and not text.isspace():
            texts.append(text)
            bearers.append(last_open)
            owners.append(index)
    leaf_ends[0] = len(texts)
    return Outline(elements, parents, levels, ends, texts, bearers, owners, starts, leaf_ends)
