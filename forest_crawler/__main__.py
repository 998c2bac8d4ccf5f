"""Run the command `forest` as `python -m forest_crawler`."""

from forest_crawler.cli.main import main

main()
