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
from dataclasses import dataclass
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


@dataclass(slots=True)
class PostgresServer:
    """A server whose data is in a directory of its own; `restart` ends all connections."""

    programs: Path
    home: Path
    user: str | None
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://forest@127.0.0.1:{self.port}/postgres"

    def create(self) -> None:
        """Create the data, which does not outlive the tests: the server need not sync."""
        options = ("-U", "forest", "-A", "trust", "-E", "UTF8", "--no-sync")
        command: list[str | Path] = [self.programs / "initdb", "-D", self.home / "data", *options]
        subprocess.run(command, user=self.user, cwd=self.home, check=True, capture_output=True)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}
        arguments = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        data, port = self.home / "data", str(self.port)
        command: list[str | Path] = [self.programs / "postgres", "-D", data, "-p", port]
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *arguments], user=self.user, cwd=self.home, stdout=log, stderr=log
            )
        _wait_for(self.url, self.process, self.home / "log")

    def stop(self) -> None:
        """Stop the server at once; all connections end, and open transactions are rolled back."""
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(_START_TIMEOUT)
            self.process = None

    def restart(self, pause: float = 0.0) -> None:
        """Stop the server, and start it again after a pause."""
        self.stop()
        time.sleep(pause)
        self.start()


@contextmanager
def run_restartable(programs: Path) -> Iterator[PostgresServer]:
    """Run a server during the block."""
    user = _server_user()
    home = Path(tempfile.mkdtemp(prefix="forest-postgres-"))
    if user is not None:
        shutil.chown(home, user)
    server = PostgresServer(programs, home, user, _free_port())
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(home)


@contextmanager
def run_server(programs: Path) -> Iterator[str]:
    """Run a server during the block; yields its URL."""
    with run_restartable(programs) as server:
        yield server.url


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
