"""Bytes → `PageTree`: decoded, cleaned, dfs-numbered; parsed once, shared by every method.

First station of every page. Forest and all page-level methods read this one tree and
answer with nodes of it (`forest_crawler.page.selection`).

The tree proper is the page's `body`: as in the paper's figure 3 it has dfs 1 and level 1.
`head` stays reachable for metadata, but is never content.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field
from functools import cached_property

from lxml import etree

from forest_crawler.errors import EmptyPageError
from forest_crawler.page.encoding import recode_page
from forest_crawler.page.libxml2_memory import check_memory
from forest_crawler.page.outline import Outline, number_elements
from forest_crawler.page.reassembly import STREAMED, first_child, place_streamed, settle_body
from forest_crawler.page.source_repair import clean_source, close_title
from forest_crawler.page.visibility import drop_elements, drop_hidden, has_more_text, text_length
from forest_crawler.page.xpath import Element, ElementPath

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

_MAY_BE_STREAMED = f'id="{STREAMED}'.encode()


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
    # What `once_per_tree` functions have computed; a copy by `replace` starts without any.
    derived: dict[object, object] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def outline(self) -> Outline:
        """The numbered elements and text leaves, made when first asked for."""
        return number_elements(self.body)

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
    data = clean_source(data)
    html, truncated = _parse(data, url)
    if first_child(html, "body") is None and (mended := close_title(data)) != data:
        html, truncated = _parse(mended, url)
    body = settle_body(html)
    structured, scriptless = _read_scripts(html)
    if body is None:
        raise EmptyPageError("no visible element, nothing to extract from", url)
    if _MAY_BE_STREAMED in data:
        place_streamed(body, data)
    etree.strip_elements(body, *UNSEEN_TAGS, with_tail=False)
    _settle_scriptless(body, scriptless)
    drop_hidden(body)
    return PageTree(html, body, encoding, url, _language(html, body), structured, truncated)


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
    held = sum(text_length(part) for part in outermost)
    if held and not has_more_text(body, held / SCRIPTLESS_SHARE):
        for part in parts:
            part.tag = "div"
    else:
        drop_elements(body, outermost)
