"""`forest export`: write the articles of a store to a file or directory."""

from __future__ import annotations

from datetime import datetime

import click

from forest_crawler.article.schemas import Schema
from forest_crawler.cli._archive_options import ARCHIVE_HELP, archive_options
from forest_crawler.cli._archive_target import ArchiveTarget
from forest_crawler.cli._messages import count, say
from forest_crawler.cli._store import open_existing_store, store_option
from forest_crawler.cli._value_types import ArchivePath, Day, Language
from forest_crawler.cli.main import EXIT_NOTHING
from forest_crawler.export.archive_rows import ArticleFilter
from forest_crawler.export.archives import STDOUT

DAY = Day()


@click.command()
@store_option
@click.option(
    "-o",
    "--output",
    type=ArchivePath(),
    default=STDOUT,
    show_default=True,
    metavar="FILE|DIR",
    help=f"The archive: {ARCHIVE_HELP}",
)
@archive_options
@click.option("--site", "sites", multiple=True, metavar="NAME", help="Only this site; repeatable.")
@click.option(
    "--lang",
    "languages",
    type=Language(),
    multiple=True,
    metavar="CODE",
    help="Only articles in this language, as `en`, which includes `en-GB`; repeatable.",
)
@click.option("--since", type=DAY, metavar="DAY", help="Only articles of this day or later.")
@click.option("--until", type=DAY, metavar="DAY", help="Only articles of this day or earlier.")
def command(
    store: str,
    output: str,
    schema: Schema,
    fields: str | None,
    sites: tuple[str, ...],
    languages: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
) -> None:
    """Write the articles that a crawl has archived, all or some.

    The day of an article is that of its publication, or else of its last change, or else of its
    download. A file is replaced as a whole, so a crawl may run meanwhile, and nobody ever reads
    half of it.

    Exit codes: 0 done, 2 wrong usage or no such store, 3 no article, 4 store or disk trouble.
    """
    target = ArchiveTarget.from_options(output, schema, fields)
    wanted = ArticleFilter(
        sites=sites,
        languages=languages,
        since=since.date() if since else None,
        until=until.date() if until else None,
    )
    with open_existing_store(store) as opened:
        number = target.write(opened, wanted)
    if output != STDOUT:
        say(f"{count(number, 'article')} in {output}")
    if not number:
        everything = wanted == ArticleFilter()
        say(
            "the store has no articles yet; `forest crawl` archives some"
            if everything
            else "no article fits; without options, `forest export` writes all"
        )
        raise SystemExit(EXIT_NOTHING)
