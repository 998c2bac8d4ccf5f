"""The subcommands by task, with one sentence each.

`forest --help` and the shell's completion read them from here: importing every subcommand for its
first sentence takes a second. A test compares them with the commands themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Read single pages": {
        "page": "Print the articles of single pages: their text, Markdown, HTML, or JSON.",
    },
    "Crawl": {
        "crawl": "Crawl feeds and sites into an archive of articles.",
        "batch": "Make articles of WARC files, without a crawl and a store.",
        "sources": "List the sources of a crawl and how their polls end.",
        "status": "Show what a crawl has done and what is left to do.",
        "store": "Look after a store: who shares it, its version, size and waste.",
        "demo": "Crawl the bundled sites and score the articles.",
    },
    "Use what was archived": {
        "export": "Write the articles that a crawl has archived, all or some.",
        "feed": "Write archived articles as a full-text feed.",
        "duplicates": "List archived articles that repeat an earlier one.",
    },
    "Look at it in the browser": {
        "studio": "Look at a crawl in the browser, and correct it.",
        "serve": "Serve full texts to feed readers; the same as `studio`.",
    },
    "Work with wrappers": {
        "induce": "Induce wrappers from two or more pages of each site.",
        "extract": "Extract articles from pages with wrappers.",
        "wrappers": "Show, export and correct the wrappers in a store.",
        "publish": "Put the rules of a store into a running feed reader.",
        "check": "Test whether stored wrappers still fit.",
        "tree": "Print a page's cleaned tree as XML.",
    },
    "Measure methods": {
        "evaluate": "Score extraction methods on labelled pages.",
        "package": "Make a test package for `forest evaluate`.",
    },
    "Set up your shell": {
        "completion": "Print the script that lets a shell complete commands and options.",
        "man": "Print the manual page of all commands.",
    },
}

OTHERS = "Other commands"
"""For a new command that isn't in the table yet."""

SUMMARIES = {name: text for group in GROUPS.values() for name, text in group.items()}
