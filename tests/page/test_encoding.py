"""Pages are decoded as browsers decode them."""

from __future__ import annotations

import codecs

import pytest

from forest_crawler.page.encoding import header_charset, recode_page
from forest_crawler.page.tree import parse_page
from tests.support.trees import text_of


def meta(charset: str) -> str:
    return f"<meta charset={charset}>"


@pytest.mark.parametrize(
    ("page", "charset", "expected"),
    [
        # A byte order mark beats header and meta.
        pytest.param(
            codecs.BOM_UTF8 + f"{meta('koi8-r')}<p>é日本".encode(),
            "iso-8859-1",
            "é日本",
            id="bom-against-header-and-meta",
        ),
        pytest.param(
            codecs.BOM_UTF16_LE + f"{meta('utf-8')}<p>é日本".encode("utf-16-le"),
            "utf-8",
            "é日本",
            id="utf-16-le-with-bom",
        ),
        pytest.param(
            codecs.BOM_UTF16_BE + "<p>é日本".encode("utf-16-be"), None, "é日本", id="utf-16-be-bom"
        ),
        # The header beats meta, in both directions.
        pytest.param(
            f"{meta('iso-8859-1')}<p>é日本".encode(), "utf-8", "é日本", id="header-against-meta"
        ),
        pytest.param(
            f"{meta('utf-8')}<p>Привет".encode("cp1251"),
            "windows-1251",
            "Привет",
            id="header-cp1251-against-meta-utf-8",
        ),
        # Declared by meta alone; the label names a subset of the real encoding.
        pytest.param(
            f"{meta('gb2312')}<p>中文镕€".encode("gb18030"), None, "中文镕€", id="gb18030-as-gb2312"
        ),
        pytest.param(
            "<meta http-equiv=content-type content='text/html; charset=Shift_JIS'><p>日本①".encode(
                "cp932"
            ),
            None,
            "日本①",
            id="shift-jis-with-vendor-character",
        ),
        pytest.param("<p>日本語".encode("euc-jp"), "EUC-JP", "日本語", id="euc-jp"),
        pytest.param(
            "<p>“x” – €".encode("cp1252"), "iso-8859-1", "“x” – €", id="cp1252-as-latin-1"
        ),
        pytest.param(
            f"{meta('us-ascii')}<p>“x”".encode("cp1252"), None, "“x”", id="cp1252-as-ascii"
        ),
        pytest.param(
            f"{meta('iso-8859-8-i')}<p>שלום".encode("iso-8859-8"), None, "שלום", id="hebrew-logical"
        ),
        pytest.param(
            f"{meta('x-mac-cyrillic')}<p>Привет".encode("mac-cyrillic"),
            None,
            "Привет",
            id="label-with-x",
        ),
        # Undeclared: valid UTF-8 is UTF-8, everything else windows-1252.
        pytest.param("<p>é日本".encode(), None, "é日本", id="undeclared-utf-8"),
        pytest.param("<p>“é”".encode("cp1252"), None, "“é”", id="undeclared-cp1252"),
        pytest.param("<p>é日本".encode()[:-1], None, "é日\ufffd", id="undeclared-utf-8-cut"),
        # An unknown label is ignored.
        pytest.param(
            f"{meta('koi8-r')}<p>Привет".encode("koi8-r"), "nonsense", "Привет", id="unknown-header"
        ),
        # A meta that is readable byte by byte is not in UTF-16.
        pytest.param(f"{meta('utf-16')}<p>é".encode(), None, "é", id="meta-says-utf-16"),
        pytest.param("<p>é".encode("utf-16-le"), "utf-16", "é", id="header-utf-16-without-bom"),
        # Nor is one without a NUL, whatever its header says; and one with NULs is, without a word.
        pytest.param("<p>é".encode(), "utf-16", "é", id="header-says-utf-16"),
        pytest.param("<p>é日本".encode("utf-16-le"), None, "é日本", id="undeclared-utf-16-le"),
        pytest.param("<p>é日本".encode("utf-16-be"), "utf-8", "é日本", id="utf-16-be-as-utf-8"),
        pytest.param("\0<p>é日本".encode(), None, "é日本", id="stray-nul"),
        pytest.param("<p>Привет".encode("cp1251"), '"windows-1251"', "Привет", id="quoted-header"),
        pytest.param(b"<meta charset=utf-8><p>ok \xff bad", None, "ok \ufffd bad", id="bad-byte"),
    ],
)
def test_pages_are_decoded_as_browsers_do(page: bytes, charset: str | None, expected: str) -> None:
    assert text_of(parse_page(page, charset=charset)) == expected


@pytest.mark.parametrize("blanks", range(3))
def test_characters_of_long_pages_are_checked_in_every_position(blanks: int) -> None:
    text = " " * blanks + "日本" * 20_000  # three bytes each: parts of any length end within one
    assert recode_page(text.encode()) == ("utf-8", text.encode())
    assert recode_page(text.encode() + b"\xe9")[0] == "utf-8"  # cut within a character
    assert recode_page(text.encode() + b"\xe9 ")[0] == "cp1252"


# Names of Python codecs that aren't text encodings, raise, or decode escapes.
@pytest.mark.parametrize(
    "label",
    "zlib bz2 base64 hex rot13 quopri uu undefined idna punycode unicode_escape "
    "raw_unicode_escape utf-7 utf-32 cp037 hz".split(),
)
@pytest.mark.parametrize("by_header", [True, False], ids=["header", "meta"])
def test_encodings_that_no_browser_supports_are_ignored(label: str, by_header: bool) -> None:
    page = f"{'' if by_header else meta(label)}<p>né \\u0041 +AGE-".encode()
    tree = parse_page(page, charset=label if by_header else None)
    assert text_of(tree) == "né \\u0041 +AGE-"


def test_decoded_text_is_used_as_it_is() -> None:
    assert text_of(parse_page(f"\ufeff{meta('koi8-r')}<p>Привет")) == "Привет"


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("text/html; charset=utf-8", "utf-8"),
        ('text/html; Charset = "windows-1251"', "windows-1251"),
        ("text/html;charset='koi8-r';x=y", "koi8-r"),
        ("text/html", None),
        ("text/html; charset=", None),
        ("", None),
        (None, None),
    ],
)
def test_the_charset_of_a_header_is_read(content_type: str | None, expected: str | None) -> None:
    assert header_charset(content_type) == expected
