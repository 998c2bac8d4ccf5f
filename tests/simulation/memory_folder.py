"""A folder in memory for the parts of an archive."""

from __future__ import annotations

from collections.abc import Callable


class MemoryFolder:
    """Files by name; `reach` is called before and after each is written."""

    def __init__(self, address: str, reach: Callable[[str], None]) -> None:
        self.address = address
        self.files: dict[str, bytes] = {}
        self._reach = reach

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes; `None` if there is no such file."""
        return self.files.get(name)

    def write(self, name: str, data: bytes) -> None:
        """Write a file as a whole."""
        self._reach("part-before-write")
        self.files[name] = data
        self._reach("part-after-write")

    def names(self, under: str = "") -> list[str]:
        """List the files."""
        return sorted(name for name in self.files if name.startswith(under))

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""
        self.files.pop(name, None)
