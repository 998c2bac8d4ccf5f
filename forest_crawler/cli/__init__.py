"""The command `forest`; its subcommands call the public API."""

import sys

try:
    from forest_crawler.cli.main import main
except KeyboardInterrupt:  # before there is anything that could report it
    sys.stderr.write("forest: interrupted\n")
    sys.exit(130)

__all__ = ["main"]
