"""The store as a whole: a page's way through it, and its default URL."""

from __future__ import annotations

import click

from forest_crawler import settings
from forest_crawler.cli.main import main
from forest_crawler.store import (
    DEFAULT_STORE_URL,
    Candidate,
    FetchedPage,
    NewArticle,
    open_store,
)


def test_a_page_goes_from_the_frontier_to_the_archive(store_url: str) -> None:
    with open_store(store_url) as store:
        store.begin_run()
        source = store.add_source("https://gazette.example/feed")
        page = Candidate("gazette.example/a", "https://gazette.example/a", "gazette.example")
        assert store.schedule([page]) == 1
        (lease,) = store.lease(5)
        store.hold([FetchedPage(lease.key, b"<p>Rain</p>")])
        (held,) = store.held_pages("gazette.example", 10)
        assert (held.body, held.status, held.url) == (b"<p>Rain</p>", 200, page.url)
        line = '{"title": "Rain"}'
        article = NewArticle("1", held.key, held.site, held.url, "forest", None, "h", line)
        assert store.archive([article]) == 1
        assert store.unexported("articles.jsonl", 10) == [(1, line)]
        assert source.id == 1


def test_the_settings_name_the_default_store() -> None:
    assert settings.FOREST_STORE == DEFAULT_STORE_URL


def test_every_command_with_a_store_option_defaults_to_the_default_store() -> None:
    assert isinstance(main, click.Group)
    context = click.Context(main)
    commands = [main.get_command(context, name) for name in main.list_commands(context)]
    options = [option for command in commands if command for option in command.params]
    stores = [option for option in options if "--store" in option.opts]
    # `tree` and `package` read pages from elsewhere unless a store is named.
    defaults = [option.default for option in stores if isinstance(option.default, str)]
    assert len(defaults) > 1
    assert set(defaults) == {DEFAULT_STORE_URL}
