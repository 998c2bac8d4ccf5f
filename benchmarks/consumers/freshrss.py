"""FreshRSS: rules in by OPML and by `publish`, half of the sites each; articles from SQLite."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Sequence
from html import unescape
from pathlib import Path

from benchmarks.consumers.program import (
    Program,
    Shown,
    check_outcomes,
    free_port,
    need,
    only_loopback,
    run,
    running,
)
from benchmarks.consumers.sites import Site
from forest_crawler.export.opml_rules import write_freshrss
from forest_crawler.export.publishing.freshrss import log_in, publish_freshrss
from forest_crawler.export.targets import FRESHRSS

USER = "admin"
PASSWORD = "freshrss-on-loopback"  # noqa: S105


def run_freshrss(path: Path, sites: Sequence[Site], work: Path) -> tuple[str, Shown]:
    """Install a copy, import the rules, fetch every feed, and return the articles."""
    copy = install_freshrss(path, work)
    (opml,) = write_freshrss([site.rules for site in sites[::2]]).files.values()
    file = work / "rules.opml"
    file.write_text(opml)
    cli(copy, "import-for-user", "--user", USER, "--filename", str(file))
    cli(copy, "actualize-user", "--user", USER)
    _publish(copy, sites, work)  # its import fetches new feeds at once
    with sqlite3.connect(copy / "data" / "users" / USER / "db.sqlite") as database:
        rows = database.execute("SELECT link, content FROM entry").fetchall()
    return freshrss_version(copy), {unescape(link): content for link, content in rows}


def _publish(copy: Path, sites: Sequence[Site], work: Path) -> None:
    port = free_port()
    command = [need("php"), "-S", f"127.0.0.1:{port}", "-t", str(copy / "p")]
    with running(command, port, work / "freshrss.log", cwd=copy, env=only_loopback()):
        api = log_in(f"http://127.0.0.1:{port}", USER, PASSWORD)
        check_outcomes(publish_freshrss(api, [site.rules for site in sites])[0])


def install_freshrss(path: Path, work: Path) -> Path:
    """Install a copy of FreshRSS with a user; return its directory."""
    copy = work / "freshrss"
    shutil.copytree(path, copy, ignore=shutil.ignore_patterns(".git"))
    cli(copy, "prepare")
    options = ("--default-user", USER, "--auth-type", "none", "--db-type", "sqlite")
    cli(copy, "do-install", *options, "--environment", "production", "--api-enabled")
    # The default feed is on the internet.
    (copy / "opml.default.xml").write_text('<opml version="2.0"><head/><body/></opml>')
    cli(copy, "create-user", "--user", USER, "--api-password", PASSWORD)
    return copy


def freshrss_version(copy: Path) -> str:
    """Return the version that a copy states."""
    found = re.search(r"FRESHRSS_VERSION = '([^']+)'", (copy / "constants.php").read_text())
    return found[1] if found else "unknown"


def cli(copy: Path, command: str, *arguments: str) -> str:
    """Run a command of FreshRSS."""
    program: list[str | Path] = [need("php"), copy / "cli" / f"{command}.php", *arguments]
    return run(program, cwd=copy, env=only_loopback())


PROGRAM = Program("FreshRSS", "FRESHRSS", run_freshrss, lambda _: FRESHRSS)
