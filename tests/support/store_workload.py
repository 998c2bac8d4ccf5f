"""A small crawl without a network, which crash tests kill and rerun."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from forest_crawler.errors import StoreError
from forest_crawler.store import ArchiveFile, FetchedPage, Lease, Store, crash_points, open_store
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.store_builders import archive_held, article, candidate

SITES = ("a.example", "b.example")
PAGES = ("1", "2", "3", "4")
CONCURRENCY = 3

# Worked by hand: eight pages; of each site, page 2 has no article and page 3 fails.
ARCHIVED = [f"{site}/{name}" for site in SITES for name in ("1", "4")]
ACCOUNT = {
    "scheduled": 8,
    "archived": 4,
    "skipped": {"no article": 2},
    "failed": {"http 404": 2},
    "pending": 0,
    "postponed": {},
    "held": 0,
}

_processes = get_context("forkserver")
_processes.set_forkserver_preload(["tests.support.store_workload"])


def run_apart(work: Callable[..., None], *arguments: Any) -> int:
    """Run a function in its own process; return exit code, or minus the signal."""
    process = _processes.Process(target=work, args=arguments)
    process.start()
    process.join()
    assert process.exitcode is not None
    return process.exitcode


def crawl(url: str, directory: Path, crash_at: str = "") -> None:
    """Do the whole crawl, or what an earlier one left to do."""
    os.environ[crash_points.VARIABLE] = crash_at
    with open_store(url) as store:
        store.begin_run()
        source = store.add_source("https://a.example/feed")
        store.update_source(source.id, status="ok")
        with ArchiveFile(store, directory / "articles.jsonl") as file:
            for site in SITES:
                store.schedule([candidate(name, site, source.id) for name in PAGES])
            while leases := store.lease(CONCURRENCY):
                _fetch(store, leases, directory / "fetched")
                archive_held(store)
                file.export()
            archive_held(store)  # pages that were held before a kill
            file.export()
        store.end_run()


def _fetch(store: Store, leases: list[Lease], log: Path) -> None:
    with log.open("a") as lines:
        lines.writelines(f"{lease.key}\n" for lease in leases)
    fetched = []
    for lease in leases:
        name = lease.key.partition("/")[2]
        if name == "2":
            store.skip(lease.key, "no article")
        elif name == "3":
            store.fail(lease.key, "http 404")
        elif name == "4" and lease.attempts == 0:
            store.retry(lease.key, "http 503", 0.0)
        else:
            fetched.append(FetchedPage(lease.key, b"<p>Rain</p>"))
    store.hold(fetched)
    store.replace_wrappers("a.example", [Wrapper("a.example", "m", "portable", ("//p",))], "x")
    with store.batch():
        store.record_fits({"a.example": [True]})
        store.record_fits({"b.example": [False]})


def fill_until_full(url: str, directory: Path, limit: int) -> None:
    """Archive under a file size limit until a `StoreError`; exit with code 4."""
    with open_store(url) as store, ArchiveFile(store, directory / "articles.jsonl") as file:
        store.begin_run()
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            for number in range(10_000):
                store.schedule([candidate(f"{number:05}")])
                store.lease(1)
                store.hold([FetchedPage(f"gazette.example/{number:05}", os.urandom(2000))])
                archive_held(store)
                file.export()
                (directory / "promised").write_text(str(number + 1))
        except StoreError:
            os._exit(4)


def archive_many(store: Store) -> None:
    """Archive four thousand articles, about 150 kB of lines."""
    names = [f"{number:05}" for number in range(4000)]
    store.schedule([candidate(name) for name in names])
    store.archive([article(f"gazette.example/{name}") for name in names])


def export_until_full(url: str, directory: Path, limit: int, archive: bool) -> None:
    """Export with a file size limit, then without; exit with 4 if the first failed.

    Archiving first leaves SQLite's journal longer than the limit, so that the store fails first.
    """
    path = directory / "articles.jsonl"
    with open_store(url) as store, ArchiveFile(store, path) as file:
        if archive:
            archive_many(store)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        try:
            file.export()
        except StoreError as err:
            (directory / "error").write_text(str(err))
            state = store.export_state(file.name)
            assert state is not None
            assert state.offset == path.stat().st_size < limit
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            file.export()
            os._exit(4)


def open_briefly(url: str) -> None:
    """Open the store and close it; exit with code 4 if it is refused."""
    try:
        open_store(url).close()
    except StoreError:
        os._exit(4)


def open_without_descriptors(url: str) -> None:
    """Open the store with no file descriptors left; exit with 4 if refused."""
    open_store("sqlite://").close()  # imports all modules
    used = len(list(Path("/proc/self/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used, used))
    open_briefly(url)
