"""Imported in the fork server of `tests.support.crawl_zygote`: it outlives crawls that are killed.

Python's own ends with an `EOFError` where a process connects to it and is killed before it has said
what it wants, which is right for the server of that process alone.
"""

from __future__ import annotations

import errno
import socket
from multiprocessing import reduction

_receive = reduction.recvfds


def _receive_or_go_on(sock: socket.socket, size: int) -> list[int]:
    try:
        return list(_receive(sock, size))
    except EOFError as err:
        # The one error after which the server goes on.
        raise OSError(errno.ECONNABORTED, "killed") from err


reduction.recvfds = _receive_or_go_on
