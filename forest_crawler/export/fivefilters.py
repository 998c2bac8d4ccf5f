"""Write FiveFilters site configs (Full-Text RSS, wallabag, NewsFlash).

Lines of `command: value`. The first `body` that matches anything wins, and all its nodes are
joined; `strip` runs before, on the whole page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from forest_crawler.export.checked_page import CheckedPage
from forest_crawler.export.date_paths import date_paths
from forest_crawler.export.file_names import safe_name
from forest_crawler.export.rules import Export, Notes, PageSample, SiteRules, piece_of
from forest_crawler.export.targets import site_config_target
from forest_crawler.urls.hosts import host_of, normal_host
from forest_crawler.wrapper.wrapper import Wrapper

FORMAT = "fivefilters"
MAX_SAMPLES = 3

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def write_fivefilters(sites: Sequence[SiteRules]) -> Export:
    """Write a site config per host that a site's pages come from."""
    notes = Notes(FORMAT)
    files: dict[str, str] = {}
    for rules in sites:
        choice = notes.choose(site_config_target(rules.portable, field_lines(rules)), rules)
        if choice is not None:
            config = _write_config(rules, choice.written, notes)
            files |= dict.fromkeys(config_names(rules), config)
    return Export(files, tuple(notes.messages), tuple(notes.checks))


def config_names(rules: SiteRules) -> list[str]:
    """Return the names of a site's files: one per host, and one for all hosts below the site.

    A reader takes `example.org.txt` for example.org and www.example.org, `news.example.org.txt` for
    that host, and `.example.org.txt` for any other host below example.org.
    """
    urls = [page.url for page in rules.pages] + [sample.url for sample in rules.samples]
    hosts = {host.removeprefix("www.") for url in urls if (host := host_of(url))}
    below = sorted(host for host in hosts if host.endswith(f".{rules.site}"))
    names = [config_name(host) for host in (rules.site, *below)]
    return [*names, f".{names[0]}"] if below else names


def config_name(site: str) -> str:
    """Return the name of a site's file: its host, or a safe name if it isn't a host."""
    host = normal_host(site)
    is_host = host is not None and ":" not in host and "." in host
    return f"{host}.txt" if is_host else f"{safe_name(site)}.txt"


def field_lines(rules: SiteRules) -> list[str]:
    """Write the rules of title, author and date, those of all templates."""
    lines = []
    for name in ("title", "author", "date"):
        located = dict.fromkeys(filter(None, (getattr(it, name) for it in rules.portable)))
        paths = chain.from_iterable(map(date_paths, located)) if name == "date" else located
        lines += [f"{name}: {path}" for path in paths]
    return lines


def _write_config(rules: SiteRules, written: str, notes: Notes) -> str:
    lines = [f"# {_line(rules.site)}: induced by forest-crawler from pages of the site"]
    lines += [f"# found on {it.support} of {it.pages} pages" for it in rules.portable]
    lines.append(written)
    if len(rules.portable) > 1 and "\nstrip: " in written:
        what = f"{FORMAT} strips from every page, so the strip rules of all templates are one list"
        lines.append(f"# {what}")
        notes.add(rules.site, what)
    for wrapper in rules.portable[:1]:
        notes.skip_fields(rules, wrapper, "lead", "image")
    lines += ["prune: no", "tidy: no"]
    samples = _samples(rules)
    if not samples:
        notes.add(rules.site, "no archived page for test_url and test_contains")
    for sample in samples:
        lines.append(f"test_url: {_line(sample.url)}")
        if sample.contains:
            lines.append(f"test_contains: {_line(sample.contains)}")
    return "\n".join(lines) + "\n"


def _samples(rules: SiteRules) -> list[PageSample]:
    """Return the pages to test by: some of the latest, and one of each template at least."""
    chosen = list(rules.samples[:MAX_SAMPLES])
    urls = {sample.url for sample in chosen}
    pages: dict[Wrapper, list[CheckedPage]] = {}
    for page in rules.pages:
        fitting = next((it for it in rules.portable if it.select(page.tree)), None)
        if fitting is not None:
            pages.setdefault(fitting, []).append(page)
    untested = (it for it in pages.values() if not urls.intersection(page.url for page in it))
    return chosen + [PageSample(it[0].url, piece_of(it[0].text)) for it in untested]


def _line(text: str) -> str:
    """Replace control characters, so that the value stays on its line."""
    return _CONTROLS.sub(" ", text).strip()
