"""`forest studio`: the crawl in the browser."""

from __future__ import annotations

import errno
import socket
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path

import click

from forest_crawler.cli._messages import say
from forest_crawler.cli._store import open_existing_store, store_option
from forest_crawler.cli._value_types import Origin, OutputDirectory
from forest_crawler.errors import MissingPackageError
from forest_crawler.studio.options import (
    DEFAULT_LABELS,
    DEFAULT_PORT,
    LOOPBACK,
    MIN_TOKEN_LENGTH,
    StudioOptions,
)


@click.command()
@store_option
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="The port to listen on.",
)
@click.option(
    "--host",
    default=LOOPBACK[0],
    show_default=True,
    metavar="ADDRESS",
    help="The address to listen on; any but this machine's own needs --token.",
)
@click.option(
    "--token",
    metavar="TEXT",
    help=f"A password, of {MIN_TOKEN_LENGTH} characters or more, without which nothing is shown.",
)
@click.option("--read-only", is_flag=True, help="Offer and accept no changes.")
@click.option(
    "--cors",
    type=Origin(),
    multiple=True,
    metavar="ORIGIN",
    help="Let pages of this origin, as https://reader.example, use /api/v1; may be repeated.",
)
@click.option("--no-browser", is_flag=True, help="Open no browser.")
@click.option(
    "--labels",
    type=OutputDirectory(),
    default=str(DEFAULT_LABELS),
    show_default=True,
    metavar="DIR",
    help="The test package that labelled pages are added to.",
)
@click.option(
    "--export",
    "export",
    type=OutputDirectory(),
    metavar="DIR",
    help="Write all pages as files for sharing, and end.",
)
def command(
    store: str,
    port: int,
    host: str,
    token: str | None,
    read_only: bool,
    cors: tuple[str, ...],
    no_browser: bool,
    labels: str,
    export: str | None,
) -> None:
    """Look at a crawl in the browser, and correct it.

    Shows sites, wrappers, articles, sources, evaluation and exports of a store, also while a crawl
    writes it. Changes are refused while a crawl holds the store. /api/v1 serves full texts of pages
    and feeds to feed readers.

    Exit codes: 0 ended, 2 wrong usage or no such store, 4 store or disk trouble.
    """
    options = StudioOptions(
        store, host, port, token, read_only, Path(labels), cors, is_static=export is not None
    )
    if not host.strip():
        raise click.UsageError("--host is empty; leave it out to listen on this machine only")
    if token is not None and len(token) < MIN_TOKEN_LENGTH:
        raise click.UsageError(f"--token is shorter than {MIN_TOKEN_LENGTH} characters")
    if not options.is_loopback and token is None:
        raise click.UsageError(f"--host {host} lets others in; give a --token, too")
    with open_existing_store(store) as opened:
        name = opened.name  # without the password of a server
    _check_packages()
    if export is not None:
        _export(options, Path(export))
    else:
        _serve(options, name, browse=not no_browser)


def _check_packages() -> None:
    for package in ("starlette", "uvicorn", "jinja2", "python_multipart"):
        try:
            __import__(package)
        except ImportError as err:
            raise MissingPackageError("the studio", package, extra="studio") from err


def _serve(options: StudioOptions, name: str, *, browse: bool) -> None:
    import uvicorn

    from forest_crawler.studio.app import make_app
    from forest_crawler.studio.service import FullText, ServiceOptions

    listening = _listen(options.host, options.port)
    service = FullText(ServiceOptions(options.store))
    say(f"studio of {name} at {options.address} (Ctrl-C ends it)")
    if browse:
        opening = threading.Timer(0.8, webbrowser.open, [options.address])
        opening.daemon = True
        opening.start()
    config = uvicorn.Config(
        make_app(options, service=service),
        log_level="warning",
        limit_concurrency=64,
        timeout_graceful_shutdown=3,
        server_header=False,
    )
    with suppress(KeyboardInterrupt):  # the way to end it, so no interruption
        uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """Listen before the address is shown: another studio may be at it, of another store."""
    option = "--host"
    try:
        families = {it[0] for it in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
        family = socket.AF_INET if socket.AF_INET in families else socket.AF_INET6
        option = "--port"
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as err:
        if getattr(err, "errno", None) == errno.EADDRNOTAVAIL:
            option = "--host"
        reason = str(getattr(err, "strerror", None) or err)
        reason = reason.partition(" (while")[0]  # which names the address again
        raise click.UsageError(
            f"cannot listen on {host}:{port} ({reason}); choose another {option}"
        ) from err


def _export(options: StudioOptions, directory: Path) -> None:
    from forest_crawler.studio.static_export import export_site

    number = export_site(options, directory)
    say(f"{number} files in {directory}; open {directory / 'index.html'}")
