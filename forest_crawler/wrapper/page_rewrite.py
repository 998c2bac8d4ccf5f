"""Changes of a page's source before rules of another tool run on it.

Site configs replace strings, wrap or unwrap elements and drop attributes; their paths are written
for the page after that. So such a page is parsed a second time, once per set of changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from lxml import etree
from lxml import html as lxml_html

from forest_crawler.errors import EmptyPageError, WrapperError
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath import ElementPath
from forest_crawler.text.cleaning import clean_text
from forest_crawler.wrapper.safe_xpath import check_safe

Command = Literal["replace_string", "wrap_in", "dissolve", "strip_attr"]
Rewrite: TypeAlias = tuple[str, str, str]
"""A command, its argument (what is replaced, or the tag), and its value (the new text, or a path).
"""

MAX_REWRITES = 300
MAX_GROWTH = 4
"""A replacement that would make the page more than so many times longer is left out."""

WRAPPING_TAGS = frozenset(
    "blockquote center code div em fieldset figcaption figure h2 h3 h4 h5 h6 i p pre section small "
    "strong".split()
)


def check_rewrites(rewrites: Sequence[Rewrite]) -> None:
    """Raise `WrapperError`, with the reason, for changes that must not run."""
    if len(rewrites) > MAX_REWRITES:
        raise WrapperError(f"more than {MAX_REWRITES} changes of the page's source")
    for command, argument, value in rewrites:
        if command not in get_args(Command):
            raise WrapperError(f"{command!r} isn't a change of the page's source")
        if command == "replace_string":
            if not argument:
                raise WrapperError("nothing to replace")
            continue
        if command == "wrap_in" and argument not in WRAPPING_TAGS:
            raise WrapperError(f"elements aren't wrapped in {argument!r}")
        check_safe(_element_path(command, value)[0])


def rewrite_tree(tree: PageTree, rewrites: tuple[Rewrite, ...]) -> PageTree:
    """Return the tree of the changed page, or the tree itself if nothing changes."""
    key = ("rewritten", rewrites)
    if key not in tree.derived:
        tree.derived[key] = _rewritten(tree, rewrites)
    made = tree.derived[key]
    return made if isinstance(made, PageTree) else tree


def rewrite_source(source: str, rewrites: Sequence[Rewrite]) -> str:
    """Apply changes to a page's source: strings first, then elements and attributes.

    >>> rewrite_source("<noscript>a</noscript>", [("replace_string", "noscript>", "div>")])
    '<div>a</div>'
    """
    max_size = MAX_GROWTH * len(source) + 2**16
    made = source
    for command, argument, value in rewrites:
        if command == "replace_string":
            grown = len(made) + made.count(argument) * (len(value) - len(argument))
            made = made.replace(argument, value) if grown <= max_size else made
    of_elements = [it for it in rewrites if it[0] != "replace_string"]
    return _change_elements(made, of_elements) if of_elements and made.strip() else made


def _rewritten(tree: PageTree, rewrites: tuple[Rewrite, ...]) -> PageTree | None:
    source = tree.source.decode("utf-8", "replace")
    made = rewrite_source(source, rewrites)
    if made == source:
        return None
    try:
        return parse_page(made, url=tree.url)
    except EmptyPageError:
        return None


def _change_elements(source: str, rewrites: Sequence[Rewrite]) -> str:
    try:
        root = lxml_html.document_fromstring(clean_text(source))
    except etree.ParserError:  # no element at all
        return source
    for command, argument, value in rewrites:
        path, attribute = _element_path(command, value)
        for element in ElementPath(path)(root):
            if command == "strip_attr":
                element.attrib.pop(attribute, "")
            elif element.getparent() is not None:
                _wrap(element, argument) if command == "wrap_in" else _dissolve(element)
    made: str = lxml_html.tostring(root, encoding="unicode")
    return made


def _element_path(command: str, value: str) -> tuple[str, str]:
    """Return the path of the elements, and the attribute that `strip_attr` drops."""
    path = value if value.startswith(("/", "(", "id(")) else f"//{value}"
    if command != "strip_attr":
        return path, ""
    elements, found, attribute = path.rpartition("/@")
    if not found or not attribute.replace("-", "").replace("_", "").isalnum():
        raise WrapperError("a path of attributes ends with one, as //img/@srcset")
    return (f"{elements}/*" if elements.endswith("/") or not elements else elements), attribute


def _wrap(element: etree._Element, tag: str) -> None:
    parent = element.getparent()
    if parent is None:
        return
    holder = parent.makeelement(tag)
    holder.tail, element.tail = element.tail, None
    parent.replace(element, holder)
    holder.append(element)


def _dissolve(element: etree._Element) -> None:
    if isinstance(element, lxml_html.HtmlElement):
        element.drop_tag()
