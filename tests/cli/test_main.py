"""The ways to start the command."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["forest_crawler", "forest_crawler.cli"])
def test_the_command_runs_as_a_module(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, "tree", "-"],
        input="<p>Ferry",
        capture_output=True,
        text=True,
        check=True,
    )
    assert '<p dfs="2" level="2">Ferry</p>' in done.stdout
