"""The command `forest`: subcommands are verbs over the public API."""

from forest_crawler.cli.main import main

__all__ = ["main"]
