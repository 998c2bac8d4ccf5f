"""A stand-in for S3 on loopback: moto's server, with a bucket, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from types import ModuleType

import pytest

MAX_CLOSE = 30.0
"""Seconds until a session must be closed."""

_numbers = count()


@contextmanager
def s3_server(patch: pytest.MonkeyPatch) -> Iterator[str]:
    """Start a server and make s3fs use it; yield the address of its bucket.

    Servers of one process share what they store, so each call gets a bucket of its own.
    """
    bucket = f"news-{next(_numbers)}"
    server_module = _require("moto.server")
    boto3 = _require("boto3")
    server = server_module.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        for name, value in _environment(endpoint).items():
            patch.setenv(name, value)
        boto3.client("s3", endpoint_url=endpoint).create_bucket(Bucket=bucket)
        yield f"s3://{bucket}"
    finally:
        _close_sessions()
        server.stop()


def _close_sessions() -> None:
    """Close the sessions of s3fs, which waits a tenth of a second for that.

    On a busy machine that isn't enough, and the warning about an open session would fail any later
    test, when the session is collected.
    """
    files = _require("s3fs").S3FileSystem
    for opened in list(files._cache.values()):
        if opened._s3 is not None:
            _require("fsspec.asyn").sync(opened.loop, opened._s3.close, timeout=MAX_CLOSE)
    files.clear_instance_cache()


def _environment(endpoint: str) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",  # which would be looked for in the network
    }


def _require(name: str) -> ModuleType:
    module: ModuleType = pytest.importorskip(name, reason="S3 needs s3fs and moto: make scale")
    return module
