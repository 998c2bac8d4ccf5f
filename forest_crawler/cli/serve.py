"""`forest serve`: another name of `forest studio`."""

from __future__ import annotations

import copy

from forest_crawler.cli.studio import command as studio

command = copy.copy(studio)
