"""Feed lists are read from files, standard input and addresses; what is wrong in them is named."""

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
    said = "".join(f' {name}="{value}"' for name, value in more.items())
    return f'<outline type="rss" xmlUrl="{url}"{said}/>'


def read(tmp_path: Path, content: str | bytes, name: str = "list.txt") -> FeedList:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_feed_list(str(file))


def urls(found: FeedList) -> list[str]:
    return [entry.url for entry in found.entries]


def reasons(found: FeedList) -> list[tuple[str, str]]:
    return [(row.text, row.reason) for row in found.refused]


def test_text_file_gives_an_address_a_line(tmp_path: Path) -> None:
    found = read(tmp_path, f"# my feeds\n\n  {A}  # daily\r\n{B}#latest\n#{C}\n")
    assert urls(found) == [A, f"{B}#latest"]
    assert found.refused == ()


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "cp1252"])
def test_text_file_may_come_from_any_editor(tmp_path: Path, codec: str) -> None:
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


def test_addresses_are_a_list_themselves() -> None:
    found = read_feed_list([A, "feed://b.example/feed", "feed:https://c.example/feed"])
    assert urls(found) == [A, B, "https://c.example/feed"]


def test_files_and_addresses_can_be_mixed(tmp_path: Path) -> None:
    (tmp_path / "l.txt").write_text(B)
    assert urls(read_feed_list([A, str(tmp_path / "l.txt")])) == [A, B]


def test_standard_input_is_a_list(tmp_path: Path) -> None:
    assert urls(read_feed_list("-", stdin=io.BytesIO(f"{A}\n".encode()))) == [A]
    assert urls(read_feed_list("-", stdin=io.BytesIO(opml(outline(B)).encode()))) == [B]


def test_feed_that_stands_twice_is_one_with_all_its_folders(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        opml(
            f'<outline text="One">{outline(A)}</outline>',
            f'<outline text="Two">{outline(A + "?utm_source=x#y")}</outline>',
        ),
    )
    assert found.entries == (ListEntry(A, None, ("One", "Two")),)
    assert found.duplicates == 1


def test_what_cannot_be_fetched_is_refused_with_its_place(tmp_path: Path) -> None:
    found = read(
        tmp_path, f"{A}\nfile:///etc/hostname\na.example/feed\nhttp://u:p@a.example/\n{B} x\n"
    )
    assert urls(found) == [A]
    assert reasons(found) == [
        ("file:///etc/hostname", "no http:// or https:// address"),
        ("a.example/feed", "no http:// or https:// address"),
        ("http://u:p@a.example/", "credentials"),
        (f"{B} x", "blank inside the address"),
    ]
    assert [row.place.rsplit(":", 1)[1] for row in found.refused] == ["2", "3", "4", "5"]


def test_only_web_addresses_of_an_opml_are_kept(tmp_path: Path) -> None:
    schemes = ["file:///etc/hostname", "javascript:alert(1)", "ftp://a.example/", "data:,x"]
    found = read(tmp_path, opml(outline(A), *map(outline, schemes)))
    assert urls(found) == [A]
    assert [text for text, _ in reasons(found)] == schemes


def test_private_addresses_are_left_to_the_rules_of_the_crawl() -> None:
    assert urls(read_feed_list("http://127.0.0.1:9000/feed")) == ["http://127.0.0.1:9000/feed"]


def test_huge_opml_gives_its_first_ten_thousand(tmp_path: Path) -> None:
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


def test_broken_opml_gives_what_can_be_read_and_says_so(tmp_path: Path) -> None:
    found = read(tmp_path, opml(outline(A), "<outline text=", outline(B)))
    assert urls(found)[0] == A
    assert "broken XML" in found.refused[-1].reason


LAUGHS = '<!DOCTYPE opml [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no feed or page address in it"),
        ("# nothing\n", "no feed or page address in it"),
        ("Title,URL\nx,y\n", "list.txt:1: no http:// or https:// address"),
        ("\x00\x01\x02", "neither OPML nor a text file"),
        ("<rss><channel/></rss>", "this is a feed, not a list"),
        ("<!DOCTYPE html><html></html>", "this is a web page, not a list"),
        ("<plist/>", "no OPML, but <plist>"),
        ("<", "no OPML that can be used: malformed"),
        (opml(), "no feed or page address in it"),
        (opml(outline(A), doctype=LAUGHS), "no OPML that can be used: entities"),
        (opml("<outline>" * 10_000), "no OPML that can be used: too deep"),
        (b"#" * (10 * 2**20 + 1), "longer than 10,485,760 bytes"),
    ],
    ids="empty comments csv binary feed page other torn no-outlines laughs deep large".split(),
)
def test_file_that_is_no_list_says_what_it_is(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    assert message in str(caught.value)
    assert "list.txt" in str(caught.value)


def test_missing_file_is_told_from_an_address(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no\.txt: no such file; an address starts with http://"):
        read_feed_list(str(tmp_path / "no.txt"))


def test_directory_is_no_list(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_feed_list(str(tmp_path))


def test_single_wrong_address_says_why() -> None:
    with pytest.raises(InputError, match="no http:// or https:// address"):
        read_feed_list("ftp://a.example/")
