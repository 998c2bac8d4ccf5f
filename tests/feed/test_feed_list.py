"""Feed lists are read from files, stdin and URLs; wrong entries are reported."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from forest_crawler.errors import InputError
from forest_crawler.feed.feed_list import MAX_OUTLINES, FeedList, ListEntry, read_feed_list
from tests.support.growth import assert_linear

A, B, C = (f"http://{name}.example/feed" for name in "abc")


def opml(*outlines: str, doctype: str = "") -> str:
    return (
        f'<?xml version="1.0"?>{doctype}<opml version="2.0"><head><title>L</title></head>'
        f"<body>{''.join(outlines)}</body></opml>"
    )


def outline(url: str, **more: str) -> str:
    attributes = "".join(f' {name}="{value}"' for name, value in more.items())
    return f'<outline type="rss" xmlUrl="{url}"{attributes}/>'


def read(tmp_path: Path, content: str | bytes, name: str = "list.txt") -> FeedList:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_feed_list(str(file))


def urls(found: FeedList) -> list[str]:
    return [entry.url for entry in found.entries]


def reasons(found: FeedList) -> list[tuple[str, str]]:
    return [(row.text, row.reason) for row in found.refused]


def test_text_file_gives_one_url_per_line(tmp_path: Path) -> None:
    found = read(tmp_path, f"# my feeds\n\n  {A}  # daily\r\n{B}#latest\n#{C}\n")
    assert urls(found) == [A, f"{B}#latest"]
    assert found.refused == ()


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "cp1252"])
def test_text_file_may_have_any_common_encoding(tmp_path: Path, codec: str) -> None:
    assert urls(read(tmp_path, f"# größer\n{A}\n".encode(codec))) == [A]


def test_opml_gives_titles_folders_and_home_pages(tmp_path: Path) -> None:
    inner = outline(A, text="Ann's &amp; co", htmlUrl="http://a.example/", category="/x/y,z")
    found = read(
        tmp_path,
        opml(f'<outline text="News"><outline text="Local">{inner}</outline></outline>', outline(B)),
    )
    assert found.entries == (
        ListEntry(A, "Ann's & co", ("News/Local", "x/y", "z"), "http://a.example/"),
        ListEntry(B),
    )


def test_opml_with_bare_ampersands_and_capital_attributes_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, opml('<outline XMLURL="http://a.example/?a=1&b=2"/>', outline(B)))
    assert urls(found) == ["http://a.example/?a=1&b=2", B]


def test_urls_are_a_list_themselves() -> None:
    found = read_feed_list([A, "feed://b.example/feed", "feed:https://c.example/feed"])
    assert urls(found) == [A, B, "https://c.example/feed"]


def test_files_and_urls_can_be_mixed(tmp_path: Path) -> None:
    (tmp_path / "l.txt").write_text(B)
    assert urls(read_feed_list([A, str(tmp_path / "l.txt")])) == [A, B]


def test_standard_input_is_a_list(tmp_path: Path) -> None:
    assert urls(read_feed_list("-", stdin=io.BytesIO(f"{A}\n".encode()))) == [A]
    assert urls(read_feed_list("-", stdin=io.BytesIO(opml(outline(B)).encode()))) == [B]


def test_repeated_feed_is_one_entry_with_all_its_folders(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        opml(
            f'<outline text="One">{outline(A)}</outline>',
            f'<outline text="Two">{outline(A + "?utm_source=x#y")}</outline>',
        ),
    )
    assert found.entries == (ListEntry(A, None, ("One", "Two")),)
    assert found.duplicates == 1


def test_unfetchable_entry_is_refused_with_its_line_number(tmp_path: Path) -> None:
    found = read(
        tmp_path, f"{A}\nfile:///etc/hostname\nfeed/a.example\nhttp://u:p@a.example/\n{B} x\n"
    )
    assert urls(found) == [A]
    assert reasons(found) == [
        ("file:///etc/hostname", "not an http:// or https:// URL"),
        ("feed/a.example", "not an http:// or https:// URL"),
        (
            "http://u:p@a.example/",
            "a user name or password in the URL; give a login with --site-headers",
        ),
        (f"{B} x", "blank inside the URL"),
    ]
    assert [row.location.rsplit(":", 1)[1] for row in found.refused] == ["2", "3", "4", "5"]


def test_only_web_urls_of_an_opml_are_kept(tmp_path: Path) -> None:
    schemes = ["file:///etc/hostname", "javascript:alert(1)", "ftp://a.example/", "data:,x"]
    found = read(tmp_path, opml(outline(A), *map(outline, schemes)))
    assert urls(found) == [A]
    assert [text for text, _ in reasons(found)] == schemes


def test_private_addresses_are_left_to_the_rules_of_the_crawl() -> None:
    assert urls(read_feed_list("http://127.0.0.1:9000/feed")) == ["http://127.0.0.1:9000/feed"]


def test_huge_opml_gives_its_first_ten_thousand_feeds(tmp_path: Path) -> None:
    outlines = [outline(f"http://a.example/{i}") for i in range(50_000)]

    def read_outlines(size: int) -> None:
        found = read(tmp_path, opml(*outlines[:size]))
        assert len(found.entries) == MAX_OUTLINES == 10_000
        assert found.left_out == size - 10_000

    assert_linear(lambda size: lambda: read_outlines(size), 50_000)


def test_opml_opens_nothing_that_it_declares(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("swordfish")
    doctype = f'<!DOCTYPE opml [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    found = read(tmp_path, opml(outline(A, text="a&x;b"), f"{outline(B)}&x;", doctype=doctype))
    assert [entry.title for entry in found.entries] == ["ab", None]


def test_broken_opml_gives_its_readable_part_and_a_warning(tmp_path: Path) -> None:
    found = read(tmp_path, opml(outline(A), "<outline text=", outline(B)))
    assert urls(found)[0] == A
    assert "broken XML" in found.refused[-1].reason


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("http://", "http://: a URL without a host"),
        ("http://[::1", "http://[::1: not a valid URL"),
        ("ftp://a.example/", "ftp://a.example/: not an http:// or https:// URL"),
        ("", "the list: an empty name instead of a file or a URL"),
    ],
    ids="host brackets scheme empty".split(),
)
def test_argument_that_is_no_url_is_refused_with_one_reason(argument: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_feed_list(argument)
    assert str(caught.value) == message


LAUGHS = '<!DOCTYPE opml [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no feed or page URL in it"),
        ("# nothing\n", "no feed or page URL in it"),
        ("Title,URL\nx,y\n", "list.txt:1: not an http:// or https:// URL"),
        ("\x00\x01\x02", "neither OPML nor a text file"),
        ("<rss><channel/></rss>", "this is a feed, not a list"),
        ("<!DOCTYPE html><html></html>", "this is a web page, not a list"),
        ("<plist/>", "not OPML: the root element is <plist>"),
        ("<", "unusable OPML: malformed"),
        (opml(), "no feed or page URL in it"),
        (opml(outline(A), doctype=LAUGHS), "unusable OPML: entities"),
        (opml("<outline>" * 10_000), "unusable OPML: too deep"),
        (b"#" * (10 * 2**20 + 1), "longer than 10,485,760 bytes"),
    ],
    ids="empty comments csv binary feed page other torn no-outlines laughs deep large".split(),
)
def test_file_that_is_not_a_list_is_reported_as_what_it_is(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    assert message in str(caught.value)
    assert "list.txt" in str(caught.value)


def test_missing_file_is_reported_with_how_urls_start(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"no\.txt: no such file, nor a domain; a URL starts with http://"
    ):
        read_feed_list(str(tmp_path / "no.txt"))


def test_directory_is_not_a_list(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_feed_list(str(tmp_path))


def test_single_wrong_url_is_reported_with_its_reason() -> None:
    with pytest.raises(InputError, match="not an http:// or https:// URL"):
        read_feed_list("ftp://a.example/")
