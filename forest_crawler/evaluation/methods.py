"""Methods by name, whatever they are: page-level, entry-based, site-level, or somebody else's.

A name is looked up in this order: page-level extractors and those that need a feed entry
(`forest_crawler.extraction.methods`), site-level methods (`site_methods`), peers (`peers`), which
may also be a program (`cmd:PROGRAM ARGS`) or an address (`http://…`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
from forest_crawler.page.selection import Selection


@dataclass(frozen=True, slots=True)
class PageMethod:
    """A method that takes each page alone; it returns nodes, or text where it has no nodes."""

    extract: Callable[[Subject], Selection | str]
    needs_entry: bool = False
    version: str | None = None  # of a program that is not ours


Method: TypeAlias = PageMethod | SiteMethod


def resolve_method(name: str, setting: Setting | None = None) -> Method:
    """The method of that name, with what a study's setting changes in it.

    Raises `UnknownNameError`, which lists all names.
    """
    if name in extractor_names():
        return _page_method(get_extractor(name))
    if name in site_method_names():
        return get_site_method(name, setting)
    if is_peer_name(name):
        return _peer_method(get_peer(name))
    raise UnknownNameError("method", name, method_names())


def method_names() -> list[str]:
    """All names that can be listed; programs and addresses come on top."""
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
