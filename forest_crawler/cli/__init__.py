"""The command `forest`; its subcommands call the public API."""

from forest_crawler.cli.main import main

__all__ = ["main"]
