"""Report an import of wrappers: line by line for a few files, as a summary for many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from forest_crawler.cli._messages import count, say
from forest_crawler.errors import WrapperError
from forest_crawler.export.fivefilters_import import SkippedLine

MAX_NAMED_FILES = 3
"""Files whose lines are named without `--verbose`: a repository of configs has thousands."""


class ImportTally:
    """Counts what was imported, refused and left out; names it if `is_verbose`."""

    def __init__(self, is_verbose: bool) -> None:
        self._is_verbose = is_verbose
        self._files = self._wrappers = self._whole = self.refused = 0
        self._lines: Counter[str] = Counter()

    def add(self, path: str, wrappers: int, skipped: Sequence[SkippedLine]) -> None:
        """Count a file that was imported."""
        self._files += 1
        self._wrappers += wrappers
        self._whole += not skipped
        self._lines.update(line.command for line in skipped)
        if self._is_verbose:
            for line in skipped:
                say(f"{path}: {line}")
            say(f"{path}: {count(wrappers, 'wrapper')} imported")

    def refuse(self, path: str, err: WrapperError) -> None:
        """Count a file that was not imported; always named."""
        self.refused += 1
        say(f"{path}: {err}")

    def finish(self) -> None:
        """Print the summary of many files."""
        total = self._files + self.refused
        if total <= 1:
            return
        say(f"{count(self._wrappers, 'wrapper')} of {count(self._files, 'file')} imported")
        say(f"{self._whole} of {count(total, 'file')} without loss, {self.refused} refused")
        for command, number in self._lines.most_common():
            say(f"  {command}: {count(number, 'line')} left out")
        if self._lines and not self._is_verbose:
            say("--verbose names every line")
