"""A passing outage costs no article, and what a site serves meanwhile is not archived."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from forest_crawler.store import open_store
from tests.support.crawl_process import QUICK, Crawl
from tests.support.fault_process import FaultServer, running_server
from tests.support.fault_sites import article_of

FIRST, PAGES = 12, 24
"""Articles before the outage, and after it: a dozen are published while it lasts."""


def page(title: str, *paragraphs: str) -> str:
    body = f"<title>{title}</title><h1>{title}</h1>" + "".join(f"<p>{text}" for text in paragraphs)
    return f"/fault/text?type=text/html&body={quote(f'<html lang=en>{body}')}"


MAINTENANCE = page(
    "We will be back soon",
    "Our site is down for maintenance at the moment. Our people are working on it, and everything "
    "will be as it was within a few hours. Please come back later today, or call our office.",
)
SHORT = page(
    "Back soon",
    "We are working on our site and will be back with all of its pages in about one hour. Thank "
    "you for your patience and please come back.",
)
CONSENT = page(
    "Before you continue",
    "We and our partners store and read data on your device, such as unique numbers, to measure "
    "what is read and to show you offers. Some partners don't ask for your consent, but rely on "
    "their interest instead. You may change your choice at any time at the foot of each page.",
    "With your consent, we may use exact places and identify your device by what it sends.",
)
OUTAGES = {
    "maintenance": MAINTENANCE,
    "short": SHORT,
    "consent": CONSENT,
    "missing": "/fault/status?code=404",
    "server-error": "/fault/status?code=503",
    "redirect": "/fault/redirect-to?to=" + quote(MAINTENANCE),
    "login": page("Sign in", "<form>Your name <input> Password <input></form>"),
}
SITES = {f"127.33.0.{number}": name for number, name in enumerate(OUTAGES, 1)}
TEASED, REDESIGNED, FIRST_RUN = "127.33.1.1", "127.33.1.2", "127.33.1.3"
TEASED_FIRST, TITLED, SENT_HOME = "127.33.1.4", "127.33.1.5", "127.33.1.6"


def teaser(site: str, number: int) -> str:
    article = article_of(site, number)
    wall = "This story goes on for subscribers of the Valley Gazette; the first month is free."
    return page(article.title, article.paragraphs[0], f"<div class=wall>{wall}</div>")


def titled_notice(site: str, number: int) -> str:
    """Return a notice below the article's own title."""
    text = "Please switch off your blocker to read this page, or come back when you have done so."
    return page(article_of(site, number).title, text, f"Incident {number * 7919:x}")


def home_page(site: str) -> str:
    """Return a home page that reads like an article: the newest story in full, with all titles."""
    titles = [article_of(site, number).title for number in range(1, PAGES + 1)]
    return page("Valley Gazette", *article_of(site, PAGES).paragraphs, *titles)


def disturb(server: FaultServer) -> None:
    """Publish a dozen articles on every site, all of them behind the site's outage."""
    numbers = range(FIRST + 1, PAGES + 1)
    plans = {
        site: {"pages": PAGES, "routes": {f"/article/{n}": OUTAGES[name] for n in numbers}}
        for site, name in SITES.items()
    }
    plans[REDESIGNED] = plans[next(iter(SITES))]
    plans[TEASED] = {
        "pages": PAGES,
        "routes": {f"/article/{n}": teaser(TEASED, n) for n in numbers},
    }
    plans[TITLED] = {
        "pages": PAGES,
        "routes": {f"/article/{n}": titled_notice(TITLED, n) for n in numbers},
    }
    to_home = dict.fromkeys((f"/article/{n}" for n in numbers), "/fault/redirect-to?to=/")
    plans[SENT_HOME] = {"pages": PAGES, "routes": to_home | {"/": home_page(SENT_HOME)}}
    server.plan(plans)


def recover(server: FaultServer) -> None:
    everywhere = (*SITES, TEASED, TITLED, SENT_HOME, REDESIGNED, FIRST_RUN, TEASED_FIRST)
    server.plan({site: {"routes": {}} for site in everywhere})
    server.plan({REDESIGNED: {"flip_at": 1}})


def pass_time(crawl: Crawl) -> None:
    """Let all pauses end just now: no crawl has missed the end of one."""
    path = crawl.directory / "forest.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE frontier SET due = ?", [time.time()])
        connection.execute("UPDATE sites SET due = 0 WHERE due IS NOT NULL")
        connection.execute("DELETE FROM pauses")
        connection.commit()


def garbage(crawl: Crawl) -> list[str]:
    """Return the URLs of articles that don't have all of the article's paragraphs."""
    return [
        row["url"]
        for row in crawl.articles()
        if not row["url"].rpartition("/")[2].isdigit()
        or not all(
            text in row["text"]
            for text in article_of(row["site"], int(row["url"].rpartition("/")[2])).paragraphs
        )
    ]


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan({"*": {"pages": FIRST}})
        numbers = range(1, FIRST + 1)
        running.plan({FIRST_RUN: {"routes": {f"/article/{n}": MAINTENANCE for n in numbers}}})
        teasers = {f"/article/{n}": teaser(TEASED_FIRST, n) for n in numbers}
        running.plan({TEASED_FIRST: {"routes": teasers}})
        yield running


@pytest.fixture(scope="module")
def crawl(server: FaultServer, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """Return a crawl that ran before, during and after the outages; the first run is in two."""
    sites = (*SITES, TEASED, TITLED, SENT_HOME, REDESIGNED, FIRST_RUN, TEASED_FIRST)
    feeds = tuple(server.url(site, "/feed.xml") for site in sites)
    directory: Path = tmp_path_factory.mktemp("outages")
    made = Crawl(directory, feeds, (*QUICK, "--now"))
    made.run()
    return made


@pytest.fixture(scope="module")
def disturbed(crawl: Crawl, server: FaultServer) -> list[str]:
    """Return what is in the archive during the outage that doesn't belong there."""
    first = len(crawl.articles())
    disturb(server)
    crawl.run()
    pass_time(crawl)
    crawl.run()
    assert len(crawl.articles()) == first == FIRST * (len(SITES) + 4)
    return garbage(crawl)


def test_nothing_that_a_site_serves_during_an_outage_is_archived(disturbed: list[str]) -> None:
    assert disturbed == []


@pytest.mark.usefixtures("disturbed")
def test_recovered_site_ends_with_every_article_whole(crawl: Crawl, server: FaultServer) -> None:
    recover(server)
    pass_time(crawl)
    crawl.run()
    assert garbage(crawl) == []
    found = {(row["site"], int(row["url"].rpartition("/")[2])) for row in crawl.articles()}
    disturbed_sites = (*SITES, TEASED, TITLED, SENT_HOME, REDESIGNED)
    expected = {(site, n) for site in disturbed_sites for n in range(1, PAGES + 1)}
    expected |= {(site, n) for site in (FIRST_RUN, TEASED_FIRST) for n in range(1, FIRST + 1)}
    assert found == expected
    assert len(crawl.articles()) == len(expected)
    with open_store(crawl.store) as store:
        account = store.account()
    assert (account["failed"], account["archived"]) == ({}, len(expected))
    # The redesign in the same hour has wrappers of its own.
    with open_store(crawl.store) as store:
        assert store.wrapper_history(REDESIGNED)[0].reason == "drift"
