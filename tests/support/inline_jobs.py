"""Jobs of the studio without a worker process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Inline:
    """Runs jobs in this process: the pages are ours."""

    async def run(self, seconds: float, function: Callable[..., Any], *args: Any) -> Any:
        """Run a job at once."""
        return function(*args)

    def stop(self) -> None:
        """End nothing."""
