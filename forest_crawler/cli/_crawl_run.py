"""Run one crawl in this process, with our settings, a summary and an exit code."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrapy.crawler import CrawlerProcess
from scrapy.settings import Settings
from twisted.python.failure import Failure

from forest_crawler.cli._crawl_display import CrawlDisplay, say_eating_rules, say_sites
from forest_crawler.cli._crawl_log import set_up_logging
from forest_crawler.cli._messages import count, say
from forest_crawler.cli._terminal import make_console
from forest_crawler.cli._watch import Watch, WatchOptions
from forest_crawler.cli.main import (
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    EXIT_SOME_FAILED,
    EXIT_STORE,
)
from forest_crawler.crawl.descriptors import reserve_descriptors
from forest_crawler.errors import InputError, StoreError
from forest_crawler.store import Store, open_store, read_store, store_file
from forest_crawler.store.file_systems import is_address
from forest_crawler.store.joining import join_store
from forest_crawler.store.runs import LEASE_SECONDS
from forest_crawler.text.durations import describe_seconds

SETTINGS = "forest_crawler.settings"

EXIT_FENCED = -1
"""Not an exit code: other processes have taken over, and this one may join again."""

_NO_TEXT = "no-article-no-text"

MAX_NAMED = 20
"""Hosts that are named in one line of the summary."""

_COLLECT_AFTER = 10_000
"""Objects allocated before the garbage collector runs: about those of twenty requests. With
Python's default of 700 it runs after every request or two and takes a tenth of the crawl's time,
though it finds little: requests in flight aren't garbage yet."""


_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)

_WRONG_SETTING = (ImportError, AttributeError, NameError, TypeError, ValueError, RuntimeError)
"""What Scrapy raises if a setting has a value that it cannot use, such as a class's name."""


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """The options of the command line that concern the run itself."""

    store: str
    output: str
    appends: bool = True  # to the output as articles come; otherwise it is written afterwards
    settings: Mapping[str, Any] = field(default_factory=dict)
    changed: Sequence[str] = ()  # NAME=VALUE: settings of the command line
    quiet: bool = False
    json_log: bool = False
    verbose: bool = False
    watch: WatchOptions | None = None  # None: the crawl ends by itself
    joins: bool = False  # it shares its store
    progress: bool | None = None  # whether to show it on a terminal; None: unless it is quiet


def run_crawl(spider: str, arguments: Mapping[str, Any], options: CrawlOptions) -> int:
    """Crawl, report the result on stderr, and return the exit code."""
    make_directories(options)
    _open_store(options).close()  # report a broken store before anything starts
    with _named_settings(options):
        crawler, process = _make(spider, options)
    settings = crawler.settings
    reserve_descriptors(settings.getint("CONCURRENT_REQUESTS"), settings.getint("FOREST_WORKERS"))
    console = make_console(stderr=True)
    is_quiet = options.quiet or options.json_log
    shows = not is_quiet if options.progress is None else options.progress
    display = _display(crawler, console, options.store) if shows and console.is_terminal else None
    watch = Watch(crawler, options.store, options.watch) if options.watch else None
    _stop_when_shut_down(crawler)
    _collect_garbage_rarely()
    failures: list[Failure] = []
    process.crawl(crawler, **arguments).addErrback(failures.append)
    process.start()
    _end_at_once_on_signals()
    for part in (display, watch):
        if part is not None:
            part.stop()
    for failure in failures:  # the crawl never started: something that it needs cannot be opened
        with _named_settings(options):
            failure.raiseException()
    return _conclude(crawler, options)


def _open_store(options: CrawlOptions) -> Store:
    if options.joins:
        return join_store(options.store, LEASE_SECONDS, say=say)
    return open_store(options.store)


def join_again(lists: Sequence[str]) -> None:
    """Start this program anew, unless its list came from stdin, which is read already."""
    if "-" in lists:
        say("start it again to join")
        return
    say("joining again")
    sys.stderr.flush()
    os.execv(sys.executable, sys.orig_argv)  # noqa: S606  the same command


def _display(crawler: Any, console: Any, url: str) -> CrawlDisplay:
    with read_store(url) as store:
        return CrawlDisplay(crawler, console, store.account()["pending"])


@contextmanager
def _named_settings(options: CrawlOptions) -> Iterator[None]:
    """Blame the settings of the command line for a crawl that cannot start."""
    try:
        yield
    except _WRONG_SETTING as err:
        if not options.changed:
            raise
        message = f"a crawl cannot begin with this: {err}"
        raise InputError(message, " ".join(f"-s {pair}" for pair in options.changed)) from err


def _end_at_once_on_signals() -> None:
    """End by the usual code at one more signal: what is left to do is to say what was done."""
    for number in _STOP_SIGNALS:
        signal.signal(number, lambda *_: os._exit(EXIT_INTERRUPTED))


def _collect_garbage_rarely() -> None:
    gc.freeze()  # modules stay, so the collector need not visit them again
    gc.set_threshold(_COLLECT_AFTER)


def make_directories(options: CrawlOptions) -> None:
    """Create the directories of the store and of the articles' file."""
    store = store_file(options.store)
    output = None if is_address(options.output) else Path(options.output)
    for path in (it for it in (output, store) if it is not None):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise StoreError(f"cannot be created: {err.strerror}", str(path.parent)) from err


def _make(spider: str, options: CrawlOptions) -> tuple[Any, CrawlerProcess]:
    level = "INFO" if options.verbose or options.json_log else "ERROR"
    ours = "INFO" if options.watch and not options.quiet else level
    set_up_logging(level, ours, as_json=options.json_log)
    settings = Settings()
    settings.setmodule(SETTINGS, priority="project")
    values = {
        "FOREST_STORE": options.store,
        "FOREST_OUTPUT": options.output if options.appends else "",
        "LOG_INSTALL_ROOT_HANDLER": False,
        "LOG_LEVEL": level,
    }
    settings.setdict(values, priority="cmdline")
    settings.setdict(options.settings, priority="cmdline")
    process = CrawlerProcess(settings)
    # Scrapy sets its own logger to DEBUG: several records per page that nobody sees.
    logging.getLogger("scrapy").setLevel(level)
    return process.create_crawler(spider), process


def _stop_when_shut_down(crawler: Any) -> None:
    """Stop the reactor once store and workers are released; don't await requests."""
    from forest_crawler.pipelines.forest import crawl_shut_down

    def stop() -> None:
        from twisted.internet import reactor  # deferred: importing it installs a reactor

        crawler.crawling = False  # otherwise the process waits for the requests in flight
        installed: Any = reactor
        with suppress(RuntimeError):  # it has stopped by itself
            installed.stop()

    crawler.signals.connect(stop, crawl_shut_down, weak=False)


def _conclude(crawler: Any, options: CrawlOptions) -> int:
    """Report the result on stderr, and return the exit code."""
    stats = crawler.stats.get_stats() if crawler.stats else {}
    session = _session(crawler)
    if session is not None and session.is_fenced:
        session.abandon()
        return EXIT_FENCED
    if session is None or stats.get("forest/fatal_error"):
        return EXIT_STORE
    session.abandon()
    _refuse_removed(options.store)
    with read_store(options.store) as store:  # which a stop in a hurry may not have closed
        account, next_retry = store.account(), store.next_retry()
    if not options.quiet:
        say_sites(session.sites)
        say_eating_rules(session.eaten_by)
        _say_account(account, stats, options.output)
        _say_left_pages(account, next_retry)
        if session.skipped_path is not None and session.skipped_path.exists():
            say(f"pages without an article, with their reasons: {session.skipped_path}")
        _say_later_work(stats, _not_due(crawler.spider))
        _say_left_hosts(session.left)
    bad = _say_bad_sources(crawler.spider)
    if not options.quiet:
        _say_still_failing(crawler.spider)
    if stats.get("finish_reason") != "finished":
        say("interrupted; the next run continues from here")
        for number in _STOP_SIGNALS:  # Python's end would make one more signal its exit code
            signal.signal(number, signal.SIG_IGN)
        return EXIT_INTERRUPTED
    if account["archived"] == 0 and not _is_any_refused(crawler.spider):
        _say_empty_feeds(crawler.spider)
        return EXIT_NOTHING
    bad += sum(map(_has_failed, session.sites.values()))
    if bad:
        say(f"{bad} {'source or site' if bad == 1 else 'sources or sites'} failed")
    return EXIT_SOME_FAILED if bad or _damaged(crawler.spider) else 0


def _refuse_removed(url: str) -> None:
    """Raise if the store was removed during the crawl: opening it would create an empty one."""
    file = store_file(url)
    if file is not None and not file.exists():
        raise StoreError("was removed during this run; restore it, or begin again", str(file))


def _say_bad_sources(spider: Any) -> int:
    """Report failed sources and damaged files; return the number of failed sources."""
    polls = getattr(spider, "polls", None)
    bad = [report for report in polls.reports.values() if not report.is_good] if polls else []
    for report in bad:
        reasons = [reason.replace(" ", "-") for reason in report.refused] or [report.status]
        advice = next((_ADVICE[reason] for reason in reasons if reason in _ADVICE), None)
        say(f"{report.url}: {report.status}" + (f" ({advice})" if advice else ""))
    for name, damage in _damaged(spider).items():
        say(f"{name}: {damage}")
    return len(bad)


def _say_still_failing(spider: Any) -> None:
    """Name the sources that failed before and are not due yet: they need a person."""
    polls = getattr(spider, "polls", None)
    failing = polls.still_failing if polls else []
    for source in failing[:MAX_NAMED]:
        failed = f"failed {count(source.failures, 'time')} in a row"
        say(f"{source.url}: {failed}, {explain_status(source.status or 'error')}; not due yet")
    if (more := len(failing) - MAX_NAMED) > 0:
        say(f"{count(more, 'more source')} failing; `forest sources --failing` lists all")


def _say_empty_feeds(spider: Any) -> None:
    """Name the feeds without entries: they are why nothing was archived."""
    polls = getattr(spider, "polls", None)
    empty = [it.url for it in polls.reports.values() if it.is_empty] if polls else []
    for url in empty[:MAX_NAMED]:
        say(f"{url}: the feed has no entries yet")
    if (more := len(empty) - MAX_NAMED) > 0:
        say(f"{count(more, 'more feed')} without entries; `forest sources` lists all")


def _is_any_refused(spider: Any) -> bool:
    """Whether a source was read, but names nothing that may be fetched."""
    polls = getattr(spider, "polls", None)
    return any(report.refused for report in polls.reports.values()) if polls else False


def _not_due(spider: Any) -> int:
    polls = getattr(spider, "polls", None)
    return int(polls.not_due) if polls else 0


def _damaged(spider: Any) -> Mapping[str, object]:
    found: Mapping[str, object] = getattr(spider, "damaged", {})
    return found


_ADVICE = {
    "credentials": "a user name or password in the URL; give a login with --site-headers",
    "port": "isn't a usual port of web servers; allow it with --allow-port",
    "private-address": "isn't on the public internet; allow its network with --allow-network",
    "robots": "the site's robots.txt forbids it",
    "connection": "the connection broke, or the server doesn't speak HTTP",
    "connection-refused": "no server answers at this host and port",
    "robots-private-address": "robots.txt isn't on the public internet; see --allow-network",
    "unknown-host": "the host name doesn't exist, or there is no network",
    "timeout": "no response in time; the next run tries again",
    "http-401": "the server wants a password",
    "http-403": "the server forbids it",
    "http-404": "there is no such page; check the URL",
    "not-html": "isn't an HTML page; feeds are for `forest crawl`",
    "no feed found": "the page has neither a feed nor links to articles; give the feed's URL",
}


def _say_later_work(stats: Mapping[str, Any], not_due: int) -> None:
    if not_due == 1:
        say("1 source is not due yet; --now polls it anyway")
    elif not_due:
        say(f"{not_due} sources are not due yet; --now polls them anyway")
    if capped := stats.get("forest/capped", 0):
        say(f"{count(capped, 'new page')} beyond FOREST_SITE_PAGES; later runs fetch them")


def _say_left_hosts(left: Mapping[str, str]) -> None:
    """Name the hosts for which the run did not wait any longer, and why."""
    named = [f"{host} ({reason})" for host, reason in sorted(left.items())[:MAX_NAMED]]
    more = f" and {len(left) - MAX_NAMED} more" if len(left) > MAX_NAMED else ""
    if named:
        say(f"left for the next run, since they put pages off: {', '.join(named)}{more}")


def _session(crawler: Any) -> Any:
    from forest_crawler.pipelines.forest import ForestPipeline

    engine = getattr(crawler, "engine", None)
    pipeline = crawler.get_item_pipeline(ForestPipeline) if engine is not None else None
    return pipeline.engine.session if pipeline is not None else None


def _has_failed(counts: Mapping[str, int]) -> bool:
    """Return whether all pages of a site failed."""
    return counts["failed"] > 0 and counts["articles"] == 0


def _say_account(account: Mapping[str, Any], stats: Mapping[str, Any], output: str) -> None:
    new = stats.get("forest/articles", 0)
    place = (
        "in the store" if output in ("", "-") else output
    )  # which has them all, as stdout hasn't
    say(f"{count(new, 'new article')}, {account['archived']} in all: {place}")
    for name in ("skipped", "failed"):
        if reasons := account[name]:
            say(f"{count(sum(reasons.values()), 'page')} {name} in all ({_list_reasons(reasons)})")
    fetches = bool(stats.get("downloader/request_count"))  # not from WARC files
    if fetches and account["skipped"].get(_NO_TEXT) and not stats.get("forest/rendered"):
        say("pages without text may be written by scripts; `--render auto` runs those")


def _say_left_pages(account: Mapping[str, Any], next_retry: float | None) -> None:
    """Say how many pages are left, and why and for how long some of them are put off."""
    if not account["pending"]:
        return
    line = f"{count(account['pending'], 'page')} left for the next run"
    if (reasons := account["postponed"]) and next_retry is not None:
        wait = describe_seconds(max(0.0, next_retry - time.time()))
        line += f"; {sum(reasons.values())} put off for {wait} or longer ({_list_reasons(reasons)})"
    say(line)


def _list_reasons(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{reason}: {number}" for reason, number in sorted(numbers.items()))


def explain_status(status: str) -> str:
    """Write a label with what to do about it, if that is known."""
    return f"{status} ({_ADVICE[status]})" if status in _ADVICE else status
