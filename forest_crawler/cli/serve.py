"""`forest serve`: another name of `forest studio`."""

from __future__ import annotations

import copy
import inspect

from forest_crawler.cli.studio import command as studio

command = copy.copy(studio)
_, _, _rest = inspect.cleandoc(studio.help or "").partition("\n")
command.help = f"Serve full texts to feed readers; the same as `studio`.\n{_rest}"
