"""One crawl in this process: Scrapy with our settings, and an exit code for how it ended."""

from __future__ import annotations

import gc
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from scrapy.crawler import CrawlerProcess
from scrapy.settings import Settings
from twisted.python.failure import Failure

from forest_crawler.cli._crawl_display import CrawlDisplay, say_sites
from forest_crawler.cli._crawl_log import set_up_logging
from forest_crawler.cli._messages import count, say
from forest_crawler.cli.main import (
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    EXIT_SOME_FAILED,
    EXIT_STORE,
)
from forest_crawler.crawl.descriptors import reserve_descriptors
from forest_crawler.errors import StoreError
from forest_crawler.store import open_store, store_file

SETTINGS = "forest_crawler.settings"

_COLLECT_AFTER = 10_000
"""New objects before cycles are looked for: some twenty requests' worth. With Python's 700 a crawl
looks after each request or two, a tenth of its time, and finds little: requests that are under way
are not garbage yet."""


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """What the command line says of a crawl."""

    store: str
    output: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    quiet: bool = False
    json_log: bool = False
    verbose: bool = False


def run_crawl(spider: str, arguments: Mapping[str, Any], options: CrawlOptions) -> int:
    """Crawl, say what came of it, and return the exit code."""
    make_directories(options)
    open_store(options.store).close()  # what is wrong with it is said before anything begins
    crawler, process = _make(spider, options)
    settings = crawler.settings
    reserve_descriptors(settings.getint("CONCURRENT_REQUESTS"), settings.getint("FOREST_WORKERS"))
    console = Console(stderr=True)
    shows = console.is_terminal and not (options.quiet or options.json_log)
    display = CrawlDisplay(crawler, console) if shows else None
    _end_when_put_down(crawler)
    _collect_seldom()
    failures: list[Failure] = []
    process.crawl(crawler, **arguments).addErrback(failures.append)
    process.start()
    if display is not None:
        display.stop()
    for failure in failures:  # it has not begun: what it needs could not be opened
        failure.raiseException()
    return _conclude(crawler, options)


def _collect_seldom() -> None:
    gc.freeze()  # modules stay: they need not be walked again and again
    gc.set_threshold(_COLLECT_AFTER)


def make_directories(options: CrawlOptions) -> None:
    """Make the directories that the store and the articles are to be in."""
    store = store_file(options.store)
    for path in (Path(options.output), *([store] if store else [])):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise StoreError(f"cannot be made: {err.strerror}", str(path.parent)) from err


def _make(spider: str, options: CrawlOptions) -> tuple[Any, CrawlerProcess]:
    level = "INFO" if options.verbose or options.json_log else "ERROR"
    set_up_logging(level, as_json=options.json_log)
    settings = Settings()
    settings.setmodule(SETTINGS, priority="project")
    ours = {
        "FOREST_STORE": options.store,
        "FOREST_OUTPUT": options.output,
        "LOG_INSTALL_ROOT_HANDLER": False,
        "LOG_LEVEL": level,
    }
    settings.setdict(ours, priority="cmdline")
    settings.setdict(options.settings, priority="cmdline")
    process = CrawlerProcess(settings)
    # It sets its own to DEBUG: several records a page, which nobody would see.
    logging.getLogger("scrapy").setLevel(level)
    return process.create_crawler(spider), process


def _end_when_put_down(crawler: Any) -> None:
    from forest_crawler.pipelines.forest import crawl_shut_down

    def end() -> None:
        from twisted.internet import reactor  # imported late: the import chooses the reactor

        crawler.crawling = False  # else the process would wait for its requests after all
        installed: Any = reactor
        with suppress(RuntimeError):  # stopped meanwhile
            installed.stop()

    crawler.signals.connect(end, crawl_shut_down, weak=False)


def _conclude(crawler: Any, options: CrawlOptions) -> int:
    stats = crawler.stats.get_stats() if crawler.stats else {}
    spider, session = crawler.spider, _session(crawler)
    if session is None or stats.get("forest/fatal_error"):
        return EXIT_STORE
    session.abandon()
    with open_store(options.store) as store:
        account = store.account()
    polls = getattr(spider, "polls", None)
    reports = list(polls.reports.values()) if polls else []
    bad = [report for report in reports if not report.is_good]
    if not options.quiet:
        say_sites(session.sites)
        _say_account(account, stats, options.output)
        _say_not_due(polls.not_due if polls else 0)
        if capped := stats.get("forest/capped", 0):
            say(f"{count(capped, 'new page')} beyond FOREST_SITE_PAGES: later runs take them")
    for report in bad:
        say(f"{report.url}: {report.status}{_advise(report.status)}")
    damaged = getattr(spider, "damaged", {})
    for name, damage in damaged.items():
        say(f"{name}: {damage}")
    if stats.get("finish_reason") != "finished":
        say("interrupted; the next run goes on from here")
        return EXIT_INTERRUPTED
    if account["archived"] == 0:
        return EXIT_NOTHING
    barren = [site for site, counts in session.sites.items() if _is_barren(counts)]
    if bad or barren:
        say(f"{count(len(bad) + len(barren), 'source or site')} failed")
    return EXIT_SOME_FAILED if bad or barren or damaged else 0


def _advise(status: str) -> str:
    advice = _ADVICE.get(status)
    return f" ({advice})" if advice else ""


_ADVICE = {
    "port": "not among the web's ports; --allow-port allows others",
    "private-address": "not on the public internet; --allow-network allows its network",
    "robots": "its robots.txt forbids it",
    "connection": "nobody answers there, or not in HTTP",
    "unknown-host": "no such name, or no network",
    "timeout": "no answer in time; the next run asks again",
    "http-401": "it asks for a password",
    "http-403": "its server forbids it",
    "http-404": "nothing is there; look at the address",
    "no feed found": "neither a feed nor links to articles; name its feed",
}


def _say_not_due(number: int) -> None:
    if number == 1:
        say("1 source is not due yet; --now asks it all the same")
    elif number:
        say(f"{number} sources are not due yet; --now asks them all the same")


def _session(crawler: Any) -> Any:
    from forest_crawler.pipelines.forest import ForestPipeline

    engine = getattr(crawler, "engine", None)
    pipeline = crawler.get_item_pipeline(ForestPipeline) if engine is not None else None
    return pipeline.engine.session if pipeline is not None else None


def _is_barren(counts: Mapping[str, int]) -> bool:
    """Whether a site gave failures and nothing else."""
    return counts["failed"] > 0 and counts["articles"] == 0


def _say_account(account: Mapping[str, Any], stats: Mapping[str, Any], output: str) -> None:
    new = stats.get("forest/articles", 0)
    say(f"{count(new, 'new article')}, {account['archived']} in all: {output}")
    rest = {"skipped": account["skipped"], "failed": account["failed"]}
    for name, reasons in rest.items():
        if reasons:
            listed = ", ".join(f"{reason}: {n}" for reason, n in sorted(reasons.items()))
            say(f"{count(sum(reasons.values()), 'page')} {name} ({listed})")
    if account["pending"]:
        say(f"{count(account['pending'], 'page')} left for the next run")
