"""A PostgreSQL server for the tests: on loopback, from the machine's packages."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, pool, text
from sqlalchemy.exc import OperationalError

_START_TIMEOUT = 60.0  # seconds for a server to start on a busy machine


def find_server_programs() -> Path | None:
    """Return the directory of `initdb` and `postgres`, which may be off the path."""
    if (found := shutil.which("initdb")) and shutil.which("postgres"):
        return Path(found).resolve().parent
    installed = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(installed, key=lambda path: float(path.parent.name), default=None)


@contextmanager
def run_server(programs: Path) -> Iterator[str]:
    """Run a server during the block; yields its URL."""
    user = _server_user()
    home = Path(tempfile.mkdtemp(prefix="forest-postgres-"))
    if user is not None:
        shutil.chown(home, user)
    data, port = home / "data", _free_port()
    # The data does not outlive the tests, so the server need not sync.
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", "forest", "-A", "trust", "-E", "UTF8", "--no-sync"],
        user=user,
        cwd=home,
        check=True,
        capture_output=True,
    )
    options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}
    arguments = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, "-p", str(port), *arguments],
            user=user,
            cwd=home,
            stdout=log,
            stderr=log,
        )
    try:
        url = f"postgresql+psycopg://forest@127.0.0.1:{port}/postgres"
        _wait_for(url, server, home / "log")
        yield url
    finally:
        server.send_signal(signal.SIGQUIT)  # immediate shutdown: its files are deleted
        server.wait(_START_TIMEOUT)
        shutil.rmtree(home)


@contextmanager
def new_schema(server: str) -> Iterator[str]:
    """Create an empty schema during the block; yields the URL of a store in it."""
    name = f"test_{uuid.uuid4().hex}"
    engine = create_engine(server, poolclass=pool.NullPool)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    try:
        yield f"{server}?options=-csearch_path%3D{name}"
    finally:
        with engine.begin() as connection:
            connection.execute(text(f"DROP SCHEMA {name} CASCADE"))


def _server_user() -> str | None:
    """Return the user to run as if we are root, as which PostgreSQL refuses to run."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    engine = create_engine(url, poolclass=pool.NullPool)
    end = time.monotonic() + _START_TIMEOUT
    while True:
        try:
            engine.connect().close()
        except OperationalError:
            if server.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the server does not start:\n{log.read_text()}") from None
            time.sleep(0.05)
        else:
            return
