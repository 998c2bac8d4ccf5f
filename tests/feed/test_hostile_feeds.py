"""Hostile feeds are read or refused in linear time, and open nothing."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from forest_crawler.feed.newest import MAX_ENTRIES, newest_positions
from tests.support.feed_documents import FEED_NOW, item, outcome, read, rss
from tests.support.growth import assert_linear

LAUGHS = (
    '<!DOCTYPE rss [<!ENTITY l0 "lol">'
    + "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    + "]>"
)
LONG_ENTITY = f'<!DOCTYPE rss [<!ENTITY a "{"x" * 100_000}">]>'
PARAMETER = """<!DOCTYPE rss [<!ENTITY % p "<!ENTITY x 'y'>"> %p;]>"""
JSON_FEED = '{"version": "https://jsonfeed.org/version/1", "items": '

BOMBS: dict[str, tuple[Callable[[int], str], int, str | None]] = {
    "billion laughs": (lambda _: rss(item(title="&l9;"), doctype=LAUGHS), 1, "entities"),
    "laughs unused": (lambda _: rss(item(), doctype=LAUGHS), 1, "entities"),
    "quadratic": (
        lambda n: rss(item(description="&a;" * n), doctype=LONG_ENTITY),
        2000,
        "entities",
    ),
    "parameter entity": (lambda _: rss(item(), doctype=PARAMETER), 1, "entities"),
    "unclosed doctype": (lambda n: '<!DOCTYPE rss [<!ENTITY a "' + "x" * n, 500_000, "entities"),
    "escaped comments": (lambda n: rss(item(description="&lt;!--" * n)), 50_000, None),
    "section of comments": (
        lambda n: rss(item(description=f"<![CDATA[{'<!--' * n}]]>")),
        50_000,
        None,
    ),
    "raw comments": (lambda n: rss(item(description="<!--" * n)), 50_000, None),
    "unclosed sections": (lambda n: rss(item(description="<![CDATA[" * n)), 20_000, None),
    "nested 100k": (lambda n: rss("<a>" * n + "</a>" * n), 100_000, "too deep"),
    "nested 100k inside": (lambda n: rss(item(x="<a>" * n + "</a>" * n), item()), 100_000, None),
    "nested entries": (lambda n: rss("<item>" * n), 50_000, None),
    "nested markup": (lambda n: rss(item(description="&lt;b&gt;" * n)), 100_000, None),
    "tags alone": (lambda n: rss("<a/>" * n), 2_000_000, "too large"),
    "ampersands alone": (lambda n: rss("&" * n), 5_000_000, "too large"),
    "references": (lambda n: rss(item(title="&#233;" * n)), 200_000, None),
    "attributes": (lambda n: rss("<item", *(f" a{i}=''" for i in range(n)), "/>"), 99_999, None),
    "categories": (lambda n: rss(f"<item>{'<category>c</category>' * n}</item>"), 50_000, None),
    "distinct categories": (
        lambda n: rss("<item>", *(f"<category>c{i}</category>" for i in range(n)), "</item>"),
        50_000,
        None,
    ),
    "keywords": (lambda n: rss(item(keywords=",".join(map(str, range(n))))), 200_000, None),
    "empty elements": (lambda n: rss(f"<item>{'<a/>' * n}</item>"), 200_000, None),
    "empty links": (lambda n: rss(f"<item>{'<link/>' * n}</item>"), 200_000, None),
    "links": (lambda n: rss(f"<item>{'<link>/a</link>' * n}</item>"), 50_000, None),
    "attributes of a link": (
        lambda n: rss("<item><link", *(f" a{i}='x'" for i in range(n)), " href='/a'/></item>"),
        50_000,
        None,
    ),
    "namespaces": (
        lambda n: rss(*(f"<n{i}:a xmlns:n{i}='urn:{i}'/>" for i in range(n)), item()),
        20_000,
        None,
    ),
    "channels": (lambda n: rss("<channel/>" * n, item()), 200_000, None),
    "deep markup": (lambda n: rss(*[item(body="<p>" * 200 + "</p>" * 200)] * n), 100, None),
    "media": (
        lambda n: rss(f"<item>{'<media:content url=u><media:title/></media:content>' * n}</item>"),
        20_000,
        None,
    ),
    "authors": (lambda n: rss(*[item(author="a@" + "a." * 1000)] * n), 300, None),
    "author": (lambda n: rss(item(author="a@" + "a." * n)), 100_000, None),
    "JSON nested": (lambda n: JSON_FEED + "[" * n, 500_000, "too deep"),
}


@pytest.mark.parametrize(("build", "size", "reason"), BOMBS.values(), ids=BOMBS)
def test_bomb_is_read_or_refused_in_linear_time(
    build: Callable[[int], str], size: int, reason: str | None
) -> None:
    def work_of(size: int) -> Callable[[], object]:
        body = build(size).encode()
        return lambda: outcome(body)

    assert_linear(work_of, size)
    found = outcome(build(size).encode())
    assert (found if isinstance(found, str) else None) == reason


def test_huge_feed_gives_its_newest_entries_in_order() -> None:
    # Oldest first, a minute apart: the newest are the last.
    first = datetime(2026, 1, 1, tzinfo=UTC)
    dates = [(first + timedelta(minutes=i)).isoformat() for i in range(20_000)]
    items = [f"<item><link>/{i}</link><pubDate>{d}</pubDate></item>" for i, d in enumerate(dates)]

    def read_items(size: int) -> None:
        feed = read(rss(*items[:size]))
        newest = range(size - MAX_ENTRIES, size)
        assert [row.link for row in feed.entries] == [f"http://feeds.example/{i}" for i in newest]
        assert feed.left_out == size - MAX_ENTRIES

    assert_linear(lambda size: lambda: read_items(size), 20_000)


def test_huge_feed_without_dates_gives_its_first_entries() -> None:
    feed = read(rss(*(item(link=f"/{i}") for i in range(MAX_ENTRIES + 5))))
    assert feed.entries[-1].link == f"http://feeds.example/{MAX_ENTRIES - 1}"
    assert feed.left_out == 5


def test_first_entries_are_kept_where_most_have_no_date() -> None:
    assert newest_positions([None, None, None, FEED_NOW], 2) == [0, 1]
    assert newest_positions([None, FEED_NOW, FEED_NOW, FEED_NOW], 3) == [1, 2, 3]
    assert newest_positions([None, FEED_NOW, None, FEED_NOW], 3) == [0, 1, 3]


def test_long_description_is_truncated() -> None:
    (entry,) = read(rss(item(description="word " * 50_000))).entries
    assert len(entry.description) == 2**16  # 13,107 words with their blanks, and a "w"
    assert entry.description.endswith(" w")


def test_harmless_entities_are_kept() -> None:
    doctype = """<!DOCTYPE rss [
        <!ENTITY paper "The Gazette"> <!-- <!ENTITY paper "x"> -->
        <!ENTITY co 'Ann &amp; Sons &#169;'> <!ENTITY paper "second"> <!ELEMENT rss ANY>]>"""
    (entry,) = read(rss(item(title="&paper; by &co;"), doctype=doctype)).entries
    assert entry.title == "The Gazette by Ann & Sons ©"


def test_reference_inside_a_section_is_text() -> None:
    doctype = '<!DOCTYPE rss [<!ENTITY a "expanded">]>'
    (entry,) = read(rss(item(title="<![CDATA[&amp;a;]]>&a;"), doctype=doctype)).entries
    assert entry.title == "&a;expanded"


@pytest.fixture
def canary() -> Iterator[tuple[str, list[int]]]:
    """Listen on loopback: the URL, and a list with an item per connection."""
    connections: list[int] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def listen() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                connections.append(1)
                connection.close()

        threading.Thread(target=listen, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/", connections
        server.shutdown(socket.SHUT_RDWR)


EXTERNAL = [
    '<!DOCTYPE rss [<!ENTITY x SYSTEM "{}">]>',
    '<!DOCTYPE rss [<!ENTITY x PUBLIC "p" "{}">]>',
    '<!DOCTYPE rss SYSTEM "{}">',
    '<!DOCTYPE rss [<!ENTITY % p SYSTEM "{}"> %p;]>',
    '<?xml-stylesheet href="{}"?>',
]


@pytest.mark.parametrize("doctype", EXTERNAL, ids=["entity", "public", "dtd", "parameter", "style"])
@pytest.mark.parametrize("where", ["file", "listener"])
def test_nothing_that_a_feed_declares_is_opened(
    doctype: str, where: str, canary: tuple[str, list[int]], tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("<!ENTITY x 'swordfish'>swordfish")
    url = canary[0] if where == "listener" else secret.as_uri()
    include = f'<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="{url}"/>'
    body = rss(item(title="a&x;b", description="&x;", x=include), doctype=doctype.format(url))
    feed = read(body)
    assert feed.entries[0].title[0] == "a"
    assert "swordfish" not in repr(feed)
    assert canary[1] == []


def test_body_that_is_a_path_or_a_url_is_not_opened(
    canary: tuple[str, list[int]], tmp_path: Path
) -> None:
    file = tmp_path / "feed.xml"
    file.write_text(rss(item()))
    for body in (str(file), file.as_uri(), canary[0]):
        assert outcome(body) == "not a feed"
    assert canary[1] == []
