"""Write and read FiveFilters site configs (Full-Text RSS, wallabag, NewsFlash).

Lines of `command: value`. The first `body` that matches anything wins, and all its nodes are
joined; `strip` runs before, on the whole page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from forest_crawler.errors import WrapperError
from forest_crawler.export.date_paths import ATTRIBUTE, date_paths
from forest_crawler.export.file_names import safe_name
from forest_crawler.export.portable_xpath import to_portable, write_union
from forest_crawler.export.rules import Export, Notes, SiteRules, make_check
from forest_crawler.export.targets import show_site_config
from forest_crawler.urls.hosts import normal_host
from forest_crawler.wrapper.wrapper import Wrapper

FORMAT = "fivefilters"
METHOD = "fivefilters"
"""The method of imported wrappers."""

MAX_SAMPLES = 3
MAX_CONFIG = 2**18

_IGNORED = frozenset(
    "strip_id_or_class strip_image_src prune tidy autodetect_on_failure test_url test_contains "
    "test_title find_string replace_string http_header single_page_link single_page_link_in_feed "
    "next_page_link parser convert_double_br_tags requires_login native_ad_clue if_page_contains "
    "skip_json_ld insert_detected_image dissolve footnotes src_lazy_load_attr wrap_in".split()
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def write_fivefilters(sites: Sequence[SiteRules]) -> Export:
    """Write a site config per site, named after its host."""
    notes = Notes(FORMAT)
    files = {}
    for rules in sites:
        notes.skip_dfs(rules)
        if rules.portable:
            config = _write_config(rules, notes)
            files[config_name(rules.site)] = config
            shown = [page.score(show_site_config(page, config)) for page in rules.pages]
            notes.checks.append(make_check(rules.site, shown))
    return Export(files, tuple(notes.messages), tuple(notes.checks))


def config_name(site: str) -> str:
    """Return the name of a site's file: its host, or a safe name if it isn't a host."""
    host = normal_host(site)
    is_host = host is not None and ":" not in host and "." in host
    return f"{host}.txt" if is_host else f"{safe_name(site)}.txt"


def read_fivefilters(text: str, site: str) -> tuple[list[Wrapper], list[str]]:
    """Return the wrappers of a site config, and notes on what was not imported.

    Raises `WrapperError` if it has no body rule that can be imported.
    """
    if len(text) > MAX_CONFIG:
        raise WrapperError(f"{site}: larger than a site config may be ({MAX_CONFIG} characters)")
    commands = list(_commands(text))
    notes: list[str] = []
    strip = _translated(commands, "strip", notes)
    title, author, date = (
        next(iter(_translated(commands, name, notes)), None) for name in ("title", "author", "date")
    )
    bodies = [
        parts
        for value in _values(commands, "body")
        if (parts := _translate_union(value, "body", notes))
    ]
    tests = {"test_url", "test_contains"}
    ignored = {name: None for name, _ in commands if name in _IGNORED - tests}
    notes += [f"{name}: not imported" for name in ignored]
    if not bodies:
        raise WrapperError(
            f"{site}: no body rule is a portable path; {'; '.join(notes) or 'it has no body rule'}"
        )
    wrappers = [
        Wrapper(
            site=site,
            method=METHOD,
            form="portable",
            body=tuple(body),
            strip=tuple(strip),
            title=title,
            author=author,
            date=date,
        )
        for body in bodies
    ]
    return wrappers, notes


def _write_config(rules: SiteRules, notes: Notes) -> str:
    lines = [f"# {_line(rules.site)}: induced by forest-crawler from pages of the site"]
    for wrapper in rules.portable:
        lines.append(f"# found on {wrapper.support} of {wrapper.pages} pages")
        lines.append(f"body: {write_union(wrapper.body)}")
    for name in ("title", "author", "date"):
        located = dict.fromkeys(filter(None, (getattr(it, name) for it in rules.portable)))
        paths = chain.from_iterable(map(date_paths, located)) if name == "date" else located
        lines += [f"{name}: {path}" for path in paths]
    strip = dict.fromkeys(it for wrapper in rules.portable for it in wrapper.strip)
    lines += [f"strip: {expression}" for expression in strip]
    if len(rules.portable) > 1 and strip:
        what = f"{FORMAT} strips from every page, so the strip rules of all templates are one list"
        lines.append(f"# {what}")
        notes.add(rules.site, what)
    for wrapper in rules.portable[:1]:
        notes.skip_fields(rules, wrapper, "lead", "image")
    lines += ["prune: no", "tidy: no"]
    if not rules.samples:
        notes.add(rules.site, "no archived page for test_url and test_contains")
    for sample in rules.samples[:MAX_SAMPLES]:
        lines.append(f"test_url: {_line(sample.url)}")
        if sample.contains:
            lines.append(f"test_contains: {_line(sample.contains)}")
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    """Replace control characters, so that the value stays on its line."""
    return _CONTROLS.sub(" ", text).strip()


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield commands and values, split at the first colon; skip other lines."""
    for line in text.lstrip("\ufeff").splitlines():
        name, colon, value = line.partition(":")
        if colon and not line.lstrip().startswith("#") and value.strip():
            yield name.strip().lower(), value.strip()


def _values(commands: Iterable[tuple[str, str]], name: str) -> list[str]:
    return [value for command, value in commands if command == name]


def _translated(commands: Iterable[tuple[str, str]], name: str, notes: list[str]) -> list[str]:
    found = (_translate_union(value, name, notes) for value in _values(commands, name))
    return [expression for expressions in found for expression in expressions]


def _translate_union(value: str, name: str, notes: list[str]) -> list[str]:
    """Return the paths of a union; none, and a note, if one isn't a portable locator."""
    try:
        return to_portable(value.removesuffix(ATTRIBUTE) if name == "date" else value)
    except WrapperError as err:
        notes.append(f"{name}: {err}")
        return []
