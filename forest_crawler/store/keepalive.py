"""Keepalives: both ends of a connection to a server notice that the other has vanished."""

from __future__ import annotations

from sqlalchemy import Connection, text

IDLE, INTERVAL, COUNT = 30, 10, 3
"""Seconds until an idle connection is tested, seconds between tests, and how many: both sides
notice within a minute or so that the other machine is gone, and the server drops the lock of a
crawl that is. The usual default is two hours."""

SERVER_OPTIONS = {
    "connect_timeout": 10,
    "keepalives": 1,
    "keepalives_idle": IDLE,
    "keepalives_interval": INTERVAL,
    "keepalives_count": COUNT,
    "tcp_user_timeout": 1000 * (IDLE + INTERVAL * COUNT),
}
"""Options of libpq for our side, unless the URL has them."""


def keep_alive(connection: Connection) -> None:
    """Set the same for the server's side; without effect on a Unix socket."""
    with connection.begin():
        connection.execute(text(f"SET tcp_keepalives_idle = {IDLE}"))
        connection.execute(text(f"SET tcp_keepalives_interval = {INTERVAL}"))
        connection.execute(text(f"SET tcp_keepalives_count = {COUNT}"))
