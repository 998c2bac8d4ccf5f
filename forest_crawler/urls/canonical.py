"""One article, one URL: remove tracking, redirects, AMP and mobile variants.

Applied to the links of feeds and pages before they enter the store's frontier. `canonical_url` can
be fetched; `url_key` only serves to compare: two URLs of one article have the same key.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin, urlsplit

from forest_crawler.urls.hosts import host_of, normal_host, site_of
from forest_crawler.urls.parameters import (
    is_likely_tracking,
    is_no_identity,
    is_tracking,
    split_parameter,
)
from forest_crawler.urls.policy import DEFAULT_PORTS, SCHEMES

_SESSION_IN_PATH = re.compile(r";jsessionid=[^/;]*", re.IGNORECASE)
_VARIANT_LABELS = ("www.", "m.", "mobile.", "amp.")
_AMP_FILE = re.compile(r"\.amp(?=\.html?$|$)")
# "amp" is also a word. It marks a variant only next to a segment that can be an article's: one with
# a hyphen, a digit or another mark of a slug or a file.
_ARTICLE_MARK = re.compile(r"[-_.0-9]")
_INDEX_FILE = re.compile(r"(?<=/)(?:index|default)\.(?:html?|php|aspx?|jsp)$")

_REDIRECT_PATH = re.compile(
    r"/(?:url|redir|redirect|redirector|r|l|out|outbound|click|track|away|go|goto|leave|exit|link)"
    r"(?:\.\w{2,5})?/?$",
    re.ASCII,
)
_TARGET_PARAMETERS = frozenset(
    "url u to target dest destination redirect redirect_url link goto q".split()
)
_WEB_URL = re.compile(r"https?://[^/\s]+", re.IGNORECASE)
_CACHED_PATH = re.compile(r"/(?:amp|[acivw])/(s/)?([^/]+\.[^/]+)(/.*)?")
_MAX_REDIRECTS = 3

_UNQUOTED = "/:@!$&'()*+,;=~-._%?"
_ENCODED = re.compile(r"%[0-9a-fA-F]{2}")
_UNRESERVED = re.compile(r"[A-Za-z0-9~._-]", re.ASCII)


def canonical_url(url: str, *, declared: str | None = None, exact: bool = False) -> str | None:
    """Return an article's URL without tracking; `None` if it isn't a web URL.

    Only parameters that are known tracking are dropped, so that the URL leads to the same page;
    `exact` keeps those that might be something else on some site.

    `declared` is the page's own rel=canonical. It wins unless it names another site, or the home
    page instead of an article: the two ways in which it is commonly wrong.

    >>> canonical_url("HTTP://Gazette.example:80/a?utm_source=rss&id=7#top")
    'http://gazette.example/a?id=7'
    >>> canonical_url("http://gazette.example/a/amp", declared="/a")
    'http://gazette.example/a'
    """
    clean = _clean(unwrap_url(url), exact=exact)
    if clean is None or declared is None:
        return clean
    try:
        other = _clean(urljoin(clean, declared.strip()), exact=exact)
    except ValueError:
        return clean
    return other if other and _is_plausible(clean, other) else clean


def url_key(url: str, *, exact: bool = False) -> str | None:
    """Return the key of an article: its URL without scheme, www, AMP and mobile.

    It has no session and no mark of a variant either; `exact` keeps all parameters that are not
    certainly tracking.

    >>> url_key("https://m.gazette.example/2026/rain-again/amp/")
    'gazette.example/2026/rain-again'
    """
    clean = _clean(unwrap_url(url), exact=exact)
    if clean is None:
        return None
    parts = urlsplit(clean)
    pieces = [piece for piece in _pieces(parts.query) if exact or not is_no_identity(piece)]
    host = _key_host(clean)
    port = f":{parts.port}" if parts.port else ""
    return host + port + _key_path(parts.path) + _query(sorted(pieces))


def is_home_page(url: str) -> bool:
    """Report whether a URL is that of a host's home page, and so of no article.

    >>> is_home_page("https://gazette.example/?utm_source=rss"), is_home_page("http://a.example/b")
    (True, False)
    """
    key = url_key(url)
    return key is not None and not {"/", "?"} & set(key)


def unwrap_url(url: str) -> str:
    """Return the target that a redirect or AMP cache URL contains, else the URL.

    >>> unwrap_url("https://search.example/url?sa=t&url=https%3A%2F%2Fgazette.example%2Fa")
    'https://gazette.example/a'
    """
    for _ in range(_MAX_REDIRECTS):
        target = _redirect_target(url)
        if target is None:
            break
        url = target
    return url


def _redirect_target(url: str) -> str | None:
    try:
        parts = urlsplit(url.strip())
        own_host = parts.hostname or ""
    except ValueError:
        return None
    if cached := _CACHED_PATH.fullmatch(parts.path):
        secure, inner_host, path = cached.groups(default="")
        # The cache's host encodes the site's: a-b.example becomes a--b-example.
        host = normal_host(inner_host) or ""
        if own_host.partition(".")[0] == host.replace("-", "--").replace(".", "-"):
            return f"http{'s' if secure else ''}://{host}{path}{_query(_pieces(parts.query))}"
    if not _REDIRECT_PATH.search(parts.path):
        return None
    for name, value in map(split_parameter, _pieces(parts.query)):
        if name in _TARGET_PARAMETERS and _WEB_URL.match(value):
            return value
    return None


def _clean(url: str, *, exact: bool) -> str | None:
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return None
    host = host_of(url)
    if host is None or parts.scheme not in SCHEMES:
        return None
    shown = f"[{host}]" if ":" in host else host
    if port is not None and port != DEFAULT_PORTS[parts.scheme]:
        shown += f":{port}"
    is_dropped = is_tracking if exact else is_likely_tracking
    pieces = [piece for piece in _pieces(parts.query) if not is_dropped(piece)]
    return f"{parts.scheme}://{shown}{_clean_path(parts.path)}{_query(pieces)}"


def _clean_path(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            kept = kept[:1] + kept[1:-1]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return _normal_encoding("/".join(kept)) or "/"


def _pieces(query: str) -> list[str]:
    """Split a query into its parameters, each once, quoted as the server needs."""
    return list(dict.fromkeys(_normal_encoding(piece) for piece in query.split("&") if piece))


def _query(pieces: list[str]) -> str:
    return "?" + "&".join(pieces) if pieces else ""


def _normal_encoding(text: str) -> str:
    """Percent-encode what must be, decode what need not be, keep the rest."""
    text = quote(text.encode("utf-8", "replace"), safe=_UNQUOTED)
    return _ENCODED.sub(_normal_character, text)


def _normal_character(code: re.Match[str]) -> str:
    character = chr(int(code[0][1:], 16))
    return character if _UNRESERVED.fullmatch(character) else code[0].upper()


def _is_plausible(url: str, declared: str) -> bool:
    if site_of(url) != site_of(declared):
        return False
    return not _is_home(declared) or _is_home(url)


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path == "/" and not parts.query


def _key_host(url: str) -> str:
    host, site = host_of(url) or "", site_of(url) or ""
    while host != site and host.startswith(_VARIANT_LABELS):
        host = host.partition(".")[2]
    return host


def _key_path(path: str) -> str:
    path = _AMP_FILE.sub("", _INDEX_FILE.sub("", _SESSION_IN_PATH.sub("", path)))
    segments = [segment for segment in path.split("/") if segment]
    for position in (-1, 0):
        rest = segments[:-1] if position else segments[1:]
        if rest and segments[position].lower() == "amp" and _ARTICLE_MARK.search(rest[-1]):
            segments = rest
    return "".join(f"/{segment}" for segment in segments)
