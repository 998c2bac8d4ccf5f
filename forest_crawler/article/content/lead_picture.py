"""The lead picture of an article: beside its headline, often outside its body.

It is the picture that the page states as its main image, shown anywhere before the body, or else
the first figure at the headline. Logos, portraits and advertisements are neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from forest_crawler.article.content.blocks import Block, ListedImage
from forest_crawler.article.content.forms import list_images
from forest_crawler.article.content.images import read_image
from forest_crawler.article.content.links import Resolver
from forest_crawler.article.content.parts import join_parts
from forest_crawler.article.content.reading import read_picture
from forest_crawler.metadata.headlines import find_headline_leaf
from forest_crawler.page.pictures import FIGURE, IMAGE_TAGS, PicturesBeside
from forest_crawler.page.xpath import Element

MAX_LEAVES = 40
"""Text leaves between lead picture and body: headline, lead, date, author, share buttons."""

MIN_STEM = 5
"""Min characters of a file's name that identifies a picture."""

MAX_QUERY = 2000
"""Characters of a URL's query that are searched for another picture's URL."""

_PICTURE = re.compile(r"/[^/]+\.(?:avif|gif|jpe?g|png|webp)$", re.IGNORECASE)
_SIZE = re.compile(r"(?:[-_.@](?:[0-9]{2,4}x[0-9]{2,4}|[0-9]{3,4}[wh]?|[23]x|scaled|large))+$")
_PORTRAIT = re.compile(r"avatar|author|byline|portrait|profile|logo|icon|sponsor|advert|gravatar")


def add_lead_picture(
    blocks: tuple[Block, ...], beside: PicturesBeside, stated: str | None
) -> tuple[Block, ...]:
    """Put the lead picture in front of an article's blocks, unless they have it.

    `stated` is the URL of the page's main image.
    """
    wanted = picture_stem(stated or "")
    if wanted and wanted in _stems(blocks):
        return blocks
    selection = beside.selection
    if not selection.nodes or not beside.has_pictures:
        return blocks
    if not _has_candidate(selection.tree.body, wanted):
        return blocks
    headline = find_headline_leaf(selection.tree)
    resolver = Resolver(selection.tree)
    for element, is_lead in beside.near_headline(headline, MAX_LEAVES):
        if not _may_be_lead(element, is_lead, wanted, resolver):
            continue
        lead = read_picture(selection.tree, element)
        stems = _stems(lead)
        if wanted in stems or (is_lead and _is_figure(str(element.tag), list_images(lead))):
            return blocks if stems & _stems(blocks) else join_parts([lead, blocks])
    return blocks


def _has_candidate(body: Element, wanted: str | None) -> bool:
    """Whether a page has a figure at all, or a picture whose attributes have the wanted name."""
    if next(body.iter(FIGURE), None) is not None:
        return True
    if wanted is None:
        return False
    markup = (" ".join(map(str, it.values())).lower() for it in body.iter("source", *IMAGE_TAGS))
    return any(wanted in names or "%" in names for names in markup)


def _may_be_lead(element: Element, is_lead: bool, wanted: str | None, resolver: Resolver) -> bool:
    """Whether a picture needs to be read: a figure at the headline, or one with the wanted name."""
    if is_lead and element.tag == FIGURE:
        return True
    if wanted is None or element.tag != "img":
        return wanted is not None
    image = read_image(element, resolver.image)
    return image is not None and picture_stem(image.src) == wanted


def _stems(blocks: tuple[Block, ...]) -> set[str]:
    return {stem for image in list_images(blocks) if (stem := picture_stem(image.url))}


def picture_stem(url: str) -> str | None:
    """Return a picture's file name without its ending and size; `None` if it is too short.

    >>> picture_stem("https://cdn.example/2026/ferry-returns-1024x683.jpg?w=800")
    'ferry-returns'
    >>> picture_stem("/_next/image?url=https%3A%2F%2Fcdn.example%2Fferry-returns.webp&w=1200")
    'ferry-returns'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    path = next(_pictures_in(parts.query), parts.path) if parts.query else parts.path
    name = unquote(path).rstrip("/").rpartition("/")[2].lower()
    stem = _SIZE.sub("", name.rpartition(".")[0] or name)
    return stem if len(stem) >= MIN_STEM else None


def _pictures_in(query: str) -> Iterator[str]:
    """Yield the paths of pictures that a query names, as services that resize pictures have it."""
    for _, value in parse_qsl(query[:MAX_QUERY]):
        path = value.partition("?")[0]
        if _PICTURE.search(path):
            yield path


def _is_figure(tag: str, images: Iterable[ListedImage]) -> bool:
    return tag == FIGURE and not any(_PORTRAIT.search(image.url.lower()) for image in images)
