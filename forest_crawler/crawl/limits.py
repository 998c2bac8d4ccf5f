"""How large a document may be, for the downloader and the WARC reader."""

from __future__ import annotations

from typing import Literal

RequestKind = Literal["page", "feed"]
"""What a request is for; sources of every kind count as feeds."""

MAX_BYTES: dict[RequestKind, int] = {"page": 5 * 1024 * 1024, "feed": 10 * 1024 * 1024}
"""Compressed and decompressed. A page of 5 MiB takes some 330 MB as a tree."""
