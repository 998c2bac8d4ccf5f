"""Run the command `forest` as `python -m forest_crawler.cli`."""

from forest_crawler.cli import main

main()
