"""The files in `deploy/` name options that exist, and packages by version and hash."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest

from forest_crawler.cli import main

DEPLOY = Path(__file__).parents[1] / "deploy"


def commands() -> dict[str, list[str]]:
    """Find the command lines of all files."""
    found = {
        path.name: re.findall(r"^ExecStart=\S+/forest (.*)$", path.read_text(), re.MULTILINE)[0]
        for path in DEPLOY.glob("*.service")
    }
    docker = re.findall(r"^CMD (.*)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)[-1]
    return {name: line.split() for name, line in found.items()} | {
        "Dockerfile": json.loads(docker),
        "compose.yaml": listed_words("compose.yaml", "command:"),
        "compose.join.yaml": listed_words("compose.join.yaml", "command:"),
        "kubernetes.yaml": listed_words("kubernetes.yaml", "args:"),
    }


def listed_words(name: str, key: str) -> list[str]:
    """Read the list below the first such key of a YAML file."""
    after = (DEPLOY / name).read_text().partition(key)[2]
    words = re.match(r"\n(?: +- .*\n)+", after)
    assert words is not None
    return re.findall(r'^ +- "?([^"\n]+)"?$', words[0], re.MULTILINE)


@pytest.mark.parametrize("name", sorted(commands()))
def test_command_line_is_one_that_the_program_takes(name: str) -> None:
    command, *arguments = commands()[name]
    found = main.get_command(click.Context(main), command)
    assert found is not None
    context = found.make_context(command, arguments)
    assert context.params["lists"][0].endswith("feeds.opml")
    assert context.params["watch"] == (name != "forest-once.service")
    assert context.params.get("join") == (name in ("compose.join.yaml", "kubernetes.yaml"))
    if not name.endswith(".service"):
        assert context.params["metrics_port"] == 9100  # which the health check asks


def test_every_package_has_a_version_and_hashes() -> None:
    text = (DEPLOY / "requirements.txt").read_text()
    rows = re.split(r"\n(?=\S)", text.strip())
    assert len(rows) > 20
    for row in rows:
        assert re.match(
            r"[a-z0-9._-]+==\S+( ; [^\\]+)? \\\n( +--hash=sha256:[0-9a-f]{64}( \\\n|$))+", row
        )
    assert "://" not in text


def test_everything_that_the_image_copies_is_in_its_context() -> None:
    copied = re.findall(
        r"^COPY (?!--from)(.*) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE
    )
    wanted = {name for line in copied for name in line.split()}
    allowed = re.findall(r"^!(.*)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    assert wanted == set(allowed)
    assert all((DEPLOY.parent / name).exists() for name in wanted)
