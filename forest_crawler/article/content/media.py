"""Media of an article: what its video, audio and embedded elements show.

`EMBED_PREFIXES` is the allow-list of players that an article's HTML may contain as a frame.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from forest_crawler.article.content.blocks import Block, Media, MediaType
from forest_crawler.article.content.captions import find_captions
from forest_crawler.article.content.images import is_pixel
from forest_crawler.page.media import MediaNode

EMBED_PREFIXES = (
    "https://www.youtube.com/embed/",
    "https://www.youtube-nocookie.com/embed/",
    "https://player.vimeo.com/video/",
    "https://www.dailymotion.com/embed/video/",
    "https://geo.dailymotion.com/player",
    "https://w.soundcloud.com/player/",
    "https://open.spotify.com/embed/",
)
"""Players that may become a frame. A whole host isn't enough: some redirect to any URL."""

_AMP_PLAYERS = {
    "amp-youtube": "https://www.youtube.com/embed/",
    "amp-vimeo": "https://player.vimeo.com/video/",
    "amp-dailymotion": "https://www.dailymotion.com/embed/video/",
}  # where the player of a `data-videoid` is
_TYPES: dict[str, MediaType] = {
    "video": "video", "audio": "audio", "iframe": "embed", "embed": "embed", "object": "object",
    "amp-video": "video", "amp-audio": "audio", "amp-iframe": "embed",
    **dict.fromkeys(_AMP_PLAYERS, "embed"),
}  # fmt: skip
_VIDEO_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_LAZY = ("data-src", "data-lazy-src", "data-lazy", "data-original")  # win over `src`
# Frames that only show a button of a social network.
_BUTTONS = re.compile(
    r"https?://(?:www\.facebook\.com/plugins/(?:like|follow|share)|platform\.twitter\.com/widgets/)"
)
# What may follow a prefix: no dots or escapes, by which a browser would leave the path.
_EMBED_REST = re.compile(r"[\w/-]*(?:\.html)?(?:[?#].*)?", re.ASCII)


def read_media(node: MediaNode, resolve: Callable[[str], str | None]) -> Media | None:
    """Read what a media element shows; `None` for pixels, buttons and without a web URL.

    `resolve` makes a URL absolute, or returns `None` for one that doesn't lead to the web.
    """
    if is_pixel(node.attributes):
        return None
    for candidate in _candidates(node):
        if candidate.strip(" #?") and (url := resolve(candidate)) is not None:
            return None if _BUTTONS.match(url) else Media(_TYPES[node.tag], url)
    return None


def is_player(url: str) -> bool:
    """Whether a URL is one of a player in the allow-list.

    >>> is_player("https://www.youtube.com/embed/dQw4w9WgXcQ?start=7")
    True
    >>> is_player("https://www.youtube.com/embed/../redirect?q=http://other.example")
    False
    """
    for prefix in EMBED_PREFIXES:
        if url.startswith(prefix):
            return bool(_EMBED_REST.fullmatch(url, len(prefix)))
    return False


def list_media(blocks: Sequence[Block]) -> tuple[Media, ...]:
    """List the media in blocks, each URL once, with the captions of their figures."""
    if not any(block.media for block in blocks):
        return ()
    unique: dict[tuple[MediaType, str], Media] = {}
    for block, caption in zip(blocks, find_captions(blocks), strict=True):
        if block.media:
            unique.setdefault(
                (block.media.type, block.media.url), replace(block.media, caption=caption)
            )
    return tuple(unique.values())


def _candidates(node: MediaNode) -> Iterator[str]:
    """Yield what may be the URL, the most likely first."""
    if player := _AMP_PLAYERS.get(node.tag):
        number = node.attributes.get("data-videoid", "").strip()
        yield player + number if _VIDEO_ID.fullmatch(number) else ""
    for name in (*_LAZY, "data" if node.tag == "object" else "src"):
        yield node.attributes.get(name, "")
    yield from node.sources
