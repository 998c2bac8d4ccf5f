"""Kill a crawl many times at random, and check that every article is there once.

`make soak`, or `python -m benchmarks.soak --kills 200`. Each run has new pages to fetch, every
tenth page is missing, every seventh kill is a SIGTERM. The server's own plan says what is expected.
"""

from __future__ import annotations

import argparse
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

from forest_crawler.store import open_store
from tests.support.crawl_process import QUICK, Crawl
from tests.support.fault_process import FaultServer, running_server

SITES = 20
WINDOW = 16
MISSING = 10
"""Every tenth page responds with 404."""


def plan_pages(server: FaultServer, sites: list[str], pages: int) -> None:
    """Give the sites that many pages."""
    gone = {f"/article/{n}": "/fault/status?code=404" for n in range(MISSING, pages + 1, MISSING)}
    server.plan({site: {"pages": pages, "routes": gone} for site in sites})


def kill_runs(server: FaultServer, crawl: Crawl, sites: list[str], kills: int) -> tuple[int, int]:
    """Kill runs at random; return how many were killed, and the pages per site."""
    random = Random(kills)
    pages, killed, max_seconds = 5, 0, 6.0
    for number in range(1, kills + 1):
        if number % 3 == 0:
            pages += 1
        plan_pages(server, sites, pages)
        process = crawl.start("-q", "--now", "-s", f"CONCURRENT_REQUESTS={WINDOW}")
        time.sleep(random.uniform(0.3, max_seconds))
        process.send_signal(signal.SIGTERM if number % 7 == 0 else signal.SIGKILL)
        process.communicate()
        killed += process.returncode in (-signal.SIGKILL, 130)
        if number % 20 == 0:
            print(f"{number} kills, {pages} pages per site", flush=True)
    return killed, pages


def check(server: FaultServer, crawl: Crawl, sites: list[str], pages: int, kills: int) -> None:
    """Print the account, and fail if it does not add up."""
    articles = crawl.articles()
    found = Counter((a["site"], int(a["url"].rpartition("/")[2])) for a in articles)
    wanted = {(site, n) for site in sites for n in range(1, pages + 1) if n % MISSING}
    hits = Counter((h.site, h.path) for h in server.log() if "/article/" in h.path)
    repeats = hits.total() - len(hits)
    with open_store(crawl.store) as store:
        account = store.account()
    skipped, failed = (sum(account[name].values()) for name in ("skipped", "failed"))
    print(
        f"scheduled {account['scheduled']} = archived {account['archived']} + skipped {skipped} "
        f"{account['skipped']} + failed {failed} {account['failed']} + pending "
        f"{account['pending']}"
    )
    print(f"pages fetched again: {repeats} after {kills} kills; at most {WINDOW} per kill allowed")
    assert account["scheduled"] == account["archived"] + skipped + failed + account["pending"]
    assert found == Counter(wanted), "articles missing or twice"
    assert len({a["id"] for a in articles}) == len(articles)
    assert repeats <= kills * WINDOW
    with closing(sqlite3.connect(crawl.directory / "forest.db")) as database:
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)
    print("every article is there once, every line is whole, the store is intact")


def main() -> None:
    """Run the soak."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    kills = parser.parse_args().kills
    sites = [f"127.9.0.{n}" for n in range(1, SITES + 1)]
    with tempfile.TemporaryDirectory() as name, running_server() as server:
        feeds = tuple(server.url(site, "/feed.xml") for site in sites)
        crawl = Crawl(Path(name), feeds, (*QUICK, "-s", "RETRY_TIMES=0"))
        killed, pages = kill_runs(server, crawl, sites, kills)
        print(f"{killed} of {kills} runs were killed before their end")
        result: subprocess.CompletedProcess[str] = crawl.run_alone("--now", "-q", timeout=1800)
        assert result.returncode in (0, 1), result.stderr
        check(server, crawl, sites, pages, killed)


if __name__ == "__main__":
    main()
