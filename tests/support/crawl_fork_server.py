"""Let the fork server of `tests.support.crawl_zygote` survive crawls that are killed.

Python's fork server ends with an `EOFError` when a process connects and is killed before it sends
its request. That is right for a server with one client; this one serves many crawls in turn.
"""

from __future__ import annotations

import errno
import socket
from multiprocessing import reduction

_receive = reduction.recvfds


def _receive_or_skip(sock: socket.socket, size: int) -> list[int]:
    try:
        return list(_receive(sock, size))
    except EOFError as err:
        # After this error, and no other, the server serves the next client.
        raise OSError(errno.ECONNABORTED, "killed") from err


reduction.recvfds = _receive_or_skip
