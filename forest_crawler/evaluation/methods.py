"""Look up methods by name: page-level ones, site-level ones, and peers.

The order is: page-level methods, with and without feed entries (`extraction.methods`), site-level
methods (`site_methods`), and peers (`peers`), which may also be a program (`cmd:PROGRAM ARGS`) or a
server (`http://…`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from forest_crawler.errors import UnknownNameError
from forest_crawler.evaluation.peers.registry import Peer, get_peer, is_peer_name, peer_names
from forest_crawler.evaluation.site_methods import (
    SiteMethod,
    get_site_method,
    site_method_names,
)
from forest_crawler.evaluation.studies import Setting
from forest_crawler.evaluation.subject import Subject
from forest_crawler.extraction.methods.registry import AnyExtractor, extractor_names, get_extractor
from forest_crawler.extraction.methods.sigfeed import SigFeed
from forest_crawler.page.selection import Selection


@dataclass(frozen=True, slots=True)
class PageMethod:
    """A method that sees one page at a time; it returns nodes, or text if it has none."""

    extract: Callable[[Subject], Selection | str]
    needs_entry: bool = False
    studies: frozenset[str] = frozenset()  # the studies that vary it
    version: str | None = None  # of a program that is not ours


Method: TypeAlias = PageMethod | SiteMethod


def resolve_method(name: str, setting: Setting | None = None) -> Method:
    """Return the method of that name, changed by a study's setting.

    Raises `UnknownNameError`, which lists all names.
    """
    if name in extractor_names():
        extractor = get_extractor(name)
        if isinstance(extractor, SigFeed):
            extractor = SigFeed(setting.signifiers if setting else None)
            return replace(_page_method(extractor), studies=frozenset({"signifiers"}))
        return _page_method(extractor)
    if name in site_method_names():
        return get_site_method(name, setting)
    if is_peer_name(name):
        return _peer_method(get_peer(name))
    raise UnknownNameError("method", name, method_names())


def method_names() -> list[str]:
    """List the names of all methods, except for programs and servers."""
    return sorted({*extractor_names(), *site_method_names(), *peer_names()})


def _page_method(extractor: AnyExtractor) -> PageMethod:
    if hasattr(extractor, "extract_with"):
        with_entry = extractor.extract_with
        return PageMethod(lambda page: with_entry(page.tree, page.entry), needs_entry=True)
    alone = extractor.extract
    return PageMethod(lambda page: alone(page.tree))


def _peer_method(peer: Peer) -> PageMethod:
    return PageMethod(
        lambda page: peer.extract_text(page.html, page.page.url), version=peer.version() or None
    )
