"""Read FiveFilters site configs (Full-Text RSS, wallabag) as wrappers.

Paths keep their meaning: those that a locator can express become portable, the others run as they
are if `safe_xpath` lets them. What has no counterpart here is named with its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from forest_crawler.errors import WrapperError
from forest_crawler.export.date_paths import ATTRIBUTE
from forest_crawler.export.portable_xpath import to_exact
from forest_crawler.page.xpath_syntax import literal
from forest_crawler.urls.hosts import normal_host, site_of
from forest_crawler.wrapper.locators import read_xpath
from forest_crawler.wrapper.safe_xpath import check_safe
from forest_crawler.wrapper.wrapper import Wrapper

METHOD = "fivefilters"
"""The method of imported wrappers."""

MAX_CONFIG = 2**18

# What a config says about its own program: how it parses and cleans, and how it is tested.
_SETTINGS = frozenset(
    "prune tidy autodetect_on_failure test_url test_contains test_title parser skip_json_ld "
    "convert_double_br_tags insert_detected_image footnotes src_lazy_load_attr".split()
)
# What changes the article, and isn't done here.
_LOST = frozenset(
    "find_string replace_string http_header single_page_link single_page_link_in_feed "
    "next_page_link requires_login native_ad_clue if_page_contains dissolve wrap_in".split()
)


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
    """The wrappers of a config, and its lines that were left out."""

    wrappers: list[Wrapper]
    skipped: list[SkippedLine]


@dataclass(slots=True)
class _Lines:
    body: list[list[str]] = field(default_factory=list)  # one list of paths per template
    strip: list[str] = field(default_factory=list)
    title: list[str] = field(default_factory=list)
    author: list[str] = field(default_factory=list)
    date: list[str] = field(default_factory=list)


def read_fivefilters(text: str, name: str) -> SiteConfig:
    """Return the wrappers of a site config with this name: a host, or `.` and a domain.

    Raises `WrapperError` if it has no body rule that can be imported.
    """
    if len(text) > MAX_CONFIG:
        raise WrapperError(f"{name}: larger than a site config may be ({MAX_CONFIG} characters)")
    lines, skipped = _Lines(), list[SkippedLine]()
    for number, command, value in _commands(text):
        try:
            _take(lines, command, value)
        except WrapperError as err:
            skipped.append(SkippedLine(number, command, str(err)))
    if not lines.body:
        reasons = "; ".join(str(it) for it in skipped if it.command == "body")
        raise WrapperError(f"{name}: {reasons or 'it has no body rule'}")
    site, host = site_and_host(name)
    return SiteConfig([_wrapper(site, host, body, lines) for body in lines.body], skipped)


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


def _take(lines: _Lines, command: str, value: str) -> None:
    """Take a line over; raises `WrapperError` with the reason if that cannot be."""
    if command == "body":
        lines.body.append(_paths(value))
    elif command == "strip":
        lines.strip += _paths(value)
    elif command in ("strip_id_or_class", "strip_image_src"):
        lines.strip.append(_strip_path(command, value.strip("'\"")))
    elif command in ("title", "author", "date"):
        getattr(lines, command).extend(_paths(value.removesuffix(ATTRIBUTE)))
    elif command in _LOST:
        raise WrapperError("not done here")
    elif command not in _SETTINGS:
        raise WrapperError("not known")


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
    title, author, date = (next(iter(it), None) for it in (lines.title, lines.author, lines.date))
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
    )


def _is_portable(path: str) -> bool:
    try:
        read_xpath(path)
    except WrapperError:
        return False
    return True


def _commands(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line numbers, commands and values, split at the first colon; skip other lines."""
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        name, colon, value = line.partition(":")
        if colon and not line.lstrip().startswith("#") and value.strip():
            # `replace_string(old): new` has its first value in brackets.
            yield number, name.partition("(")[0].strip().lower(), value.strip()
