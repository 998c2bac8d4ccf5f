"""The W3C feed validator on full-text feeds, RSS and Atom.

`FEED_VALIDATOR` is a checkout whose `src` has the package `feedvalidator`; it needs html5lib, lxml
and rdflib, which `PYTHONPATH` may name.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.consumers.program import only_loopback, run
from benchmarks.consumers.sites import Site, full_feed_url, write_full_feed
from forest_crawler.export.feed import FEED_FORMATS

VARIABLE = "FEED_VALIDATOR"

_CHECK = """
import sys
sys.path.insert(0, sys.argv[1])
import feedvalidator
from feedvalidator import logging
for line in sys.stdin.read().splitlines():
    file, url = line.split()
    data = open(file, encoding="utf-8").read()
    for event in feedvalidator.validateString(data, base=url)["loggedEvents"]:
        if isinstance(event, (logging.Error, logging.Warning)):
            kind = "error" if isinstance(event, logging.Error) else "warning"
            print(kind, type(event).__name__)
"""


def validate_feeds(path: Path, sites: Sequence[Site], work: Path) -> Counter[str]:
    """Return the names of the validator's errors and warnings, counted over all feeds."""
    files = []
    for site in sites:
        for form in FEED_FORMATS:
            file = work / f"{site.name}.{form}.xml"
            file.write_bytes(write_full_feed(site, form))
            files.append(f"{file} {full_feed_url(site)}")
    environment = only_loopback({"PYTHONPATH": os.environ.get("PYTHONPATH", "")})
    command = [sys.executable, "-W", "ignore", "-c", _CHECK, str(path / "src")]
    printed = run(command, input="\n".join(files), env=environment)
    return Counter(line for line in printed.splitlines() if line)
