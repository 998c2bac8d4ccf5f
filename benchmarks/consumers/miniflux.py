"""Miniflux: rules in by OPML and by `publish`, half of the sites each. Needs PostgreSQL."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from benchmarks.consumers.program import (
    NotHereError,
    Program,
    Shown,
    check_outcomes,
    free_port,
    only_loopback,
    run,
    running,
)
from benchmarks.consumers.sites import Site
from forest_crawler.export.opml_rules import write_miniflux
from forest_crawler.export.publishing.miniflux import publish_miniflux, token_header
from forest_crawler.export.publishing.reader_api import ReaderApi
from forest_crawler.export.targets import MINIFLUX
from tests.support.postgres_server import find_server_programs, run_server

ADMIN = {"ADMIN_USERNAME": "admin", "ADMIN_PASSWORD": "miniflux-on-loopback"}
_LOGIN = base64.b64encode(":".join(ADMIN.values()).encode()).decode()


def run_miniflux(path: Path, sites: Sequence[Site], work: Path) -> tuple[str, Shown]:
    """Import the rules, refresh every feed, and return the entries."""
    programs = find_server_programs()
    if programs is None:
        raise NotHereError("PostgreSQL isn't installed")
    (opml,) = write_miniflux([site.rules for site in sites[::2]]).files.values()
    with run_server(programs) as database:
        url = database.replace("postgresql+psycopg", "postgres") + "?sslmode=disable"
        with miniflux_server(path, url, work) as base:
            call(base, "POST", "/v1/import", opml.encode())
            key = call(base, "POST", "/v1/api-keys", b'{"description":"forest"}')
            api = ReaderApi(base, token_header(key["token"]))
            check_outcomes(publish_miniflux(api, [site.rules for site in sites])[0])
            shown: Shown = {}
            for feed in call(base, "GET", "/v1/feeds"):
                call(base, "PUT", f"/v1/feeds/{feed['id']}/refresh")
                found = call(base, "GET", f"/v1/feeds/{feed['id']}/entries?limit=200")
                shown |= {entry["url"]: entry["content"] for entry in found["entries"]}
    return run([path, "-version"]).strip(), shown


class miniflux_server:  # noqa: N801  used as a function
    """Run Miniflux during a block; gives the address of its API."""

    def __init__(self, path: Path, database: str, work: Path) -> None:
        self._port = free_port()
        settings = {
            "DATABASE_URL": database,
            "RUN_MIGRATIONS": "1",
            "CREATE_ADMIN": "1",
            "LISTEN_ADDR": f"127.0.0.1:{self._port}",
            "FETCHER_ALLOW_PRIVATE_NETWORKS": "1",
            "DISABLE_SCHEDULER_SERVICE": "1",
        }
        environment = only_loopback(ADMIN | settings)
        self._server = running([path], self._port, work / "miniflux.log", env=environment)

    def __enter__(self) -> str:
        self._server.__enter__()
        return f"http://127.0.0.1:{self._port}"

    def __exit__(self, *error: Any) -> None:
        self._server.__exit__(*error)


def call(base: str, method: str, path: str, body: bytes | None = None) -> Any:
    """Call the API, and return its answer."""
    headers = {"Authorization": f"Basic {_LOGIN}"}
    request = Request(base + path, data=body, method=method, headers=headers)  # noqa: S310
    with urlopen(request, timeout=300) as answer:  # noqa: S310  loopback
        data = answer.read()
    return json.loads(data) if data.strip() else None


PROGRAM = Program("Miniflux", "MINIFLUX", run_miniflux, lambda _: MINIFLUX)
