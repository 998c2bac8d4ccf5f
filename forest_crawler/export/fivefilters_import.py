"""Read FiveFilters site configs (Full-Text RSS, wallabag) as wrappers.

Paths keep their meaning: those that a locator can express become portable, the others run as they
are if `safe_xpath` lets them. Strings and elements are replaced before the paths run, and a crawl
follows the links to further pages. What has no counterpart here is named with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from forest_crawler.errors import WrapperError
from forest_crawler.export.date_paths import ATTRIBUTE
from forest_crawler.export.portable_xpath import to_exact
from forest_crawler.page.xpath_syntax import literal
from forest_crawler.urls.hosts import normal_host, site_of
from forest_crawler.wrapper.locators import read_xpath
from forest_crawler.wrapper.page_rewrite import Rewrite, check_rewrites
from forest_crawler.wrapper.safe_xpath import check_safe
from forest_crawler.wrapper.value_path import check_value_path, is_value_path
from forest_crawler.wrapper.wrapper import Wrapper

METHOD = "fivefilters"
"""The method of imported wrappers."""

MAX_CONFIG = 2**18

# What a config says about its own program: how it parses and cleans, and how it is tested.
_SETTINGS = frozenset(
    "prune tidy autodetect_on_failure autodetect_next_page test_url test_contains test_title "
    "parser skip_json_ld convert_double_br_tags insert_detected_image footnotes src_lazy_load_attr "
    "native_ad_clue strip_comments".split()
)
_LOGIN = frozenset(
    "requires_login login_uri login_username_field login_password_field login_extra_fields "
    "not_logged_in_xpath".split()
)
# What changes the article, and isn't done here.
_LOST = frozenset("single_page_link_in_feed if_page_contains move_into".split())
_LINKS = {"next_page_link": "next_page", "single_page_link": "single_page"}
_HEADERS = frozenset("user-agent referer cookie accept".split())
_ATTRIBUTE_END = re.compile(r"/@[\w-]+\s*$")
_BEGINS = re.compile(r"\s*(?:['\"]|[a-z-]+\s*\()")
_WITH_ARGUMENT = re.compile(r"([a-z_]+)\s*\((.*)\)\s*", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line of a config that was not imported."""

    number: int
    command: str
    reason: str

    def __str__(self) -> str:
        return f"line {self.number}: {self.command}: {self.reason}"


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """The wrappers of a config, and its lines that were left out.

    `headers` are for the requests, which no wrapper can hold; `header_lines` are their lines.
    """

    wrappers: list[Wrapper]
    skipped: list[SkippedLine]
    headers: Mapping[str, str] = field(default_factory=dict)
    header_lines: tuple[SkippedLine, ...] = ()


@dataclass(slots=True)
class _Lines:
    body: list[list[str]] = field(default_factory=list)  # one list of paths per template
    strip: list[str] = field(default_factory=list)
    title: list[str] = field(default_factory=list)
    author: list[str] = field(default_factory=list)
    date: list[str] = field(default_factory=list)
    next_page: list[str] = field(default_factory=list)
    single_page: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)  # strings to replace, in order
    replaced: list[str] = field(default_factory=list)
    rewrite: list[Rewrite] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)


def read_fivefilters(text: str, name: str) -> SiteConfig:
    """Return the wrappers of a site config with this name: a host, or `.` and a domain.

    Raises `WrapperError` if it has no body rule that can be imported.
    """
    if len(text) > MAX_CONFIG:
        raise WrapperError(f"{name}: larger than a site config may be ({MAX_CONFIG} characters)")
    lines, skipped, of_headers = _Lines(), list[SkippedLine](), list[SkippedLine]()
    for number, command, argument, value in _commands(text):
        try:
            _take(lines, command, argument, value)
        except WrapperError as err:
            skipped.append(SkippedLine(number, command, str(err)))
        if command == "http_header":
            of_headers.append(SkippedLine(number, command, "--site-headers FILE keeps it"))
    if not lines.body:
        reasons = "; ".join(str(it) for it in skipped if it.command == "body")
        raise WrapperError(f"{name}: {reasons or 'it has no body rule'}")
    site, host = site_and_host(name)
    wrappers = [_wrapper(site, host, body, lines) for body in lines.body]
    return SiteConfig(wrappers, skipped, lines.headers, tuple(of_headers))


def site_and_host(name: str) -> tuple[str, str | None]:
    """Return the site of a config's name, and the hosts of it that the config is for.

    >>> site_and_host("example.co.uk"), site_and_host("news.example.co.uk")
    (('example.co.uk', None), ('example.co.uk', 'news.example.co.uk'))
    >>> site_and_host(".example.co.uk")
    ('example.co.uk', '.example.co.uk')
    """
    host = normal_host(name.removeprefix(".").removeprefix("www."))
    site = site_of(f"http://{host}/") if host else None
    if host is None or site is None:
        return name, None
    is_own = site == host and not name.startswith(".")
    return site, None if is_own else f".{host}" if name.startswith(".") else host


def _take(lines: _Lines, command: str, argument: str, value: str) -> None:
    """Take a line over; raises `WrapperError` with the reason if that cannot be."""
    if command == "body":
        lines.body.append(_paths(value))
    elif command == "strip" and not _ATTRIBUTE_END.search(value):
        lines.strip += _paths(value)
    elif command in ("strip_id_or_class", "strip_image_src"):
        lines.strip.append(_strip_path(command, value.strip("'\"")))
    elif command in ("title", "author", "date"):
        _take_field(getattr(lines, command), value.removesuffix(ATTRIBUTE))
    elif command in _LINKS:
        _take_field(getattr(lines, _LINKS[command]), value)
    elif command == "find_string":
        lines.found.append(value)
    elif command == "replace_string":
        lines.found += [argument] if argument else []
        lines.replaced.append(value)
    elif command == "http_header" and argument.lower() in _HEADERS:
        lines.headers[argument.lower()] = value
    elif command in ("strip", "strip_attr", "wrap_in", "dissolve"):
        _take_rewrite(lines, command, argument, value)
    elif command in _LOGIN:
        raise WrapperError("no log-in is done here; give a crawl --cookies or --site-headers")
    elif command in _LOST or command == "http_header":
        raise WrapperError("not done here")
    elif command not in _SETTINGS:
        raise WrapperError("not known")


def _take_field(taken: list[str], value: str) -> None:
    """Take a path of elements or texts; one after a function, or a function, becomes its rest."""
    if is_value_path(value):
        paths = [value if value.startswith(("/", "(")) or _BEGINS.match(value) else f"//{value}"]
    else:
        paths = _paths(value)
    for path in paths:
        check_safe(path)
        check_value_path(path)
    if taken and (_BEGINS.match(paths[0]) or _BEGINS.match(taken[0])):
        joined = _first_or_second(" | ".join(taken), paths[0])
        check_safe(joined)
        taken[:] = [joined]
    else:
        taken += paths


def _first_or_second(one: str, other: str) -> str:
    """Write an XPath for the text of one expression, or of another if the first gives none.

    >>> _first_or_second("//p", "//b")
    'concat(string(//p), substring(string(//b), 1, string-length(string(//b)) * not(string(//p))))'
    """
    rest = f"substring(string({other}), 1, string-length(string({other})) * not(string({one})))"
    return f"concat(string({one}), {rest})"


def _take_rewrite(lines: _Lines, command: str, argument: str, value: str) -> None:
    name = "strip_attr" if command == "strip" else command
    made = (name, argument.lower(), value)
    check_rewrites([made])
    lines.rewrite.append(made)


def _strip_path(command: str, value: str) -> str:
    if command == "strip_image_src":
        return f"//img[contains(@src,{literal(value)})]"
    word = literal(f" {value} ")
    tests = (f"contains(concat(' ',normalize-space(@{it}),' '),{word})" for it in ("class", "id"))
    return f"//*[{' or '.join(tests)}]"


def _paths(value: str) -> list[str]:
    """Return the paths of a value: portable ones, or the value itself."""
    try:
        return to_exact(value)
    except WrapperError:
        path = value if value.startswith(("/", "(", "id(")) else f"//{value}"
        check_safe(path)
        return [path]


def _wrapper(site: str, host: str | None, body: list[str], lines: _Lines) -> Wrapper:
    title, author, date = (_join(it) for it in (lines.title, lines.author, lines.date))
    used = [*body, *lines.strip, *filter(None, (title, author, date))]
    return Wrapper(
        site=site,
        method=METHOD,
        form="portable" if all(map(_is_portable, used)) else "xpath",
        body=tuple(body),
        strip=tuple(dict.fromkeys(lines.strip)),
        title=title,
        author=author,
        date=date,
        host=host,
        rewrite=(*_replacements(lines), *lines.rewrite),
        next_page=_join(lines.next_page),
        single_page=_join(lines.single_page),
    )


def _join(paths: list[str]) -> str | None:
    """Join the rules of a field: the first element that one of them selects counts."""
    return " | ".join(dict.fromkeys(paths)) or None


def _replacements(lines: _Lines) -> list[Rewrite]:
    """Pair the strings; as other readers, do none if their numbers differ."""
    if len(lines.found) != len(lines.replaced):
        return []
    pairs = zip(lines.found, lines.replaced, strict=True)
    return [("replace_string", old, new) for old, new in pairs if old]


def _is_portable(path: str) -> bool:
    try:
        read_xpath(path)
    except WrapperError:
        return False
    return True


def _commands(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield line numbers, commands, arguments and values, split at the first colon."""
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        name, colon, value = line.partition(":")
        if not colon or line.lstrip().startswith("#"):
            continue
        # `replace_string(old): new` has its first value in brackets, perhaps with a colon.
        if name.lstrip().lower().startswith("replace_string(") and "):" in line:
            name, _, value = line.partition("):")
            name += ")"
        parts = _WITH_ARGUMENT.fullmatch(name.strip())
        command = (parts[1] if parts else name).strip().lower()
        if value.strip() or command == "replace_string":
            yield number, command, parts[2] if parts else "", value.strip()
