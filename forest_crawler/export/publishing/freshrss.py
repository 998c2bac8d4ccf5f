"""Put rules into FreshRSS by its Google Reader API, which takes and gives OPML.

Importing OPML overwrites what a feed has. So the subscriptions are exported first, and those
outlines come back with the rules added: title, website, description, category and all other
settings stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from lxml import etree

from forest_crawler.export.opml_rules import FRESHRSS_SPACE, write_freshrss
from forest_crawler.export.publishing.published import PublishedFeed
from forest_crawler.export.publishing.reader_api import PublishError, ReaderApi
from forest_crawler.export.rules import Export, SiteRules
from forest_crawler.page.xpath import Element
from forest_crawler.urls.canonical import url_key

NAME = "freshrss"
_RULES = tuple(f"{{{FRESHRSS_SPACE}}}{it}" for it in ("cssFullContent", "cssFullContentFilter"))
_API = "api/greader.php"


def log_in(base: str, user: str, password: str) -> ReaderApi:
    """Log in with the user's API password; raises `PublishError`."""
    query = urlencode({"Email": user, "Passwd": password}).encode()
    kind = "application/x-www-form-urlencoded"
    try:
        answer = ReaderApi(base).call("POST", f"{_API}/accounts/ClientLogin", query, kind)
    except PublishError as err:
        if err.status in (401, 403, 503):
            what = (
                "FreshRSS refuses user and password; allow API access in Settings → Authentication,"
                " and set an API password in Settings → Profile"
            )
            raise PublishError(what, err.status) from err
        raise
    fields = dict(line.partition("=")[::2] for line in answer.decode("utf-8", "replace").split())
    if not fields.get("Auth"):
        raise PublishError(f"{base} doesn't answer as FreshRSS does; check --url")
    return ReaderApi(base, {"Authorization": f"GoogleLogin auth={fields['Auth']}"})


def publish_freshrss(
    api: ReaderApi, sites: Sequence[SiteRules], *, replace: bool = False
) -> tuple[list[PublishedFeed], Export]:
    """Give every feed of the sites its rules, in one import.

    A feed with other rules of its own keeps them, unless `replace`. Raises `PublishError`.
    """
    exported = write_freshrss(sites)
    (text,) = exported.files.values()
    document = _parse(text.encode())
    known = _known_outlines(api)
    done = []
    for outline in document.findall("./body/outline"):
        result = _merge(outline, known.get(_key(outline.get("xmlUrl", ""))), replace=replace)
        done.append(result)
    if any(it.outcome in ("added", "updated") for it in done):
        data = etree.tostring(document, xml_declaration=True, encoding="UTF-8")
        api.call("POST", f"{_API}/reader/api/0/subscription/import", data, "text/x-opml")
    return done, exported


def _known_outlines(api: ReaderApi) -> dict[str, Element]:
    root = _parse(api.call("GET", f"{_API}/reader/api/0/subscription/export"))
    return {_key(it.get("xmlUrl", "")): it for it in root.iter("outline") if it.get("xmlUrl")}


def _merge(outline: Element, known: Element | None, *, replace: bool) -> PublishedFeed:
    """Replace an outline of ours by the known one with our rules, or remove it."""
    url = outline.get("xmlUrl", "")
    if known is None:
        return PublishedFeed(url, "added")
    own, wanted = ([it.get(name) or "" for name in _RULES] for it in (known, outline))
    if own == wanted or (any(own) and not replace):
        _replace(outline, None)
        if own == wanted:
            return PublishedFeed(url, "unchanged")
        return PublishedFeed(url, "kept", "it has rules of its own; --replace overwrites them")
    for name, value in zip(_RULES, wanted, strict=True):
        known.set(name, value)
    _replace(outline, _in_category(known))
    return PublishedFeed(url, "updated")


def _replace(outline: Element, other: Element | None) -> None:
    parent = outline.getparent()
    if parent is not None:
        if other is not None:
            outline.addprevious(other)
        parent.remove(outline)


def _in_category(known: Element) -> Element:
    """Return an outline inside one of its category, so that it stays there."""
    above = known.getparent()
    if above is None or above.tag != "outline":
        return known
    category = etree.Element("outline")
    for name, value in above.items():
        category.set(name, value)
    category.append(known)
    return category


def _parse(data: bytes) -> Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as err:
        raise PublishError(f"FreshRSS doesn't answer with OPML ({err}); check --url") from err


def _key(url: str) -> str:
    return url_key(url) or url
