"""A Scrapy extension that measures how long callbacks hold a crawl's event loop.

`python -m benchmarks.crawl loop` enables it. A heartbeat runs in the loop; what the main thread
computes between two beats is at least as long as its longest callback. CPU time counts, so that
other processes don't. A second thread notes where the main thread is while a beat is overdue.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import traceback
from collections import Counter

from scrapy import signals
from scrapy.crawler import Crawler

BEAT = 0.002
LIMIT = 0.05
"""Seconds that a callback may take."""

_SAMPLE = 0.01
_OWN = ("/forest_crawler/", "/spiders/", "/pipelines/")


class LoopWatch:
    """Beats in the event loop while the spider is open, and prints a summary at its end."""

    def __init__(self) -> None:
        self._waits: list[float] = []
        self._places: Counter[str] = Counter()
        self._last = time.thread_time()
        self._beat = time.monotonic()
        self._main = threading.get_ident()
        self._is_open = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LoopWatch:
        """Connect to the spider's opening and end."""
        watch = cls()
        crawler.signals.connect(watch.start, signals.spider_opened)
        crawler.signals.connect(watch.stop, signals.spider_closed)
        return watch

    def start(self) -> None:
        """Begin to beat."""
        self._is_open = True
        self._last, self._beat = time.thread_time(), time.monotonic()
        threading.Thread(target=self._sample, daemon=True).start()
        self._note()

    def stop(self) -> None:
        """Print how long the loop was held."""
        self._is_open = False
        waits = sorted(self._waits)
        late = [wait for wait in waits if wait > LIMIT]
        print(f"event loop: {len(waits)} beats, longest {1000 * waits[-1]:.0f} ms of CPU time")
        print(f"event loop: {len(late)} over {1000 * LIMIT:.0f} ms")
        for place, count in self._places.most_common(5):
            print(f"event loop: {count} samples in {place}", flush=True)

    def _note(self) -> None:
        now = time.thread_time()
        self._waits.append(now - self._last)
        self._last, self._beat = now, time.monotonic()
        if self._is_open:
            asyncio.get_event_loop().call_later(BEAT, self._note)

    def _sample(self) -> None:
        while self._is_open:
            time.sleep(_SAMPLE)
            if time.monotonic() - self._beat > LIMIT:
                frame = sys._current_frames().get(self._main)
                lines = traceback.extract_stack(frame)
                own = [it for it in lines if any(part in it.filename for part in _OWN)]
                last = (own or lines)[-1]
                self._places[f"{last.filename.rpartition('/')[2]}:{last.lineno} {last.name}"] += 1
