"""`python -m forest_crawler.cli` is the command `forest`."""

from forest_crawler.cli.main import main

main()
