"""Headers and cookies of a user reach their own site, and nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_crawler.errors import InputError
from forest_crawler.fetching.site_headers import SiteHeaders, read_site_headers
from tests.support.fetch_run import LOOPBACK, QUICK, FetchPlan, run_fetch
from tests.support.recording_server import recording_server

HEADERS = """
["gazette.example"]
Authorization = "Bearer swordfish"
Cookie = "a=1"

["http://harbour.example:8000/"]
X-Reader = "42"
"""
COOKIES = """# Netscape HTTP Cookie File
.gazette.example\tTRUE\t/\tTRUE\t0\tsession\thalibut
#HttpOnly_gazette.example\tFALSE\t/news\tFALSE\t4102444800\tpart\tn
harbour.example\tFALSE\t/\tFALSE\t1000000000\told\tx
"""


@pytest.fixture
def known(tmp_path: Path) -> SiteHeaders:
    (tmp_path / "headers.toml").write_text(HEADERS)
    (tmp_path / "cookies.txt").write_text(COOKIES)
    return read_site_headers(str(tmp_path / "headers.toml"), str(tmp_path / "cookies.txt"))


BEARER = {"Authorization": "Bearer swordfish"}


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        pytest.param(
            "https://gazette.example/a", BEARER | {"Cookie": "a=1; session=halibut"}, id="own-site"
        ),
        pytest.param(
            "https://GAZETTE.example:443/news/1",
            BEARER | {"Cookie": "a=1; part=n; session=halibut"},
            id="longer-path-first",
        ),
        pytest.param("https://www.gazette.example/", {"Cookie": "session=halibut"}, id="subdomain"),
        pytest.param("http://gazette.example/", {}, id="not-encrypted"),
        pytest.param("http://gazette.example/news", {"Cookie": "part=n"}, id="cookie-of-http"),
        pytest.param("http://gazette.example/newsroom", {}, id="path-begins-alike"),
        pytest.param(
            "https://gazette.example:8443/", {"Cookie": "session=halibut"}, id="other-port"
        ),
        pytest.param("https://notgazette.example/", {}, id="name-ends-alike"),
        pytest.param("https://gazette.example.evil.example/", {}, id="name-begins-alike"),
        pytest.param("https://evil.example/?gazette.example", {}, id="other-host"),
        pytest.param("http://harbour.example:8000/a", {"X-Reader": "42"}, id="expired-cookie"),
        pytest.param("http://harbour.example/", {}, id="other-port-of-http"),
    ],
)
def test_a_request_gets_the_headers_of_its_own_origin(
    known: SiteHeaders, url: str, headers: dict[str, str]
) -> None:
    assert known.find(url) == headers


def test_secrets_are_not_shown(known: SiteHeaders) -> None:
    assert "swordfish" not in repr(known)
    assert "halibut" not in repr(known.cookies)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "isn't TOML"),
        ("a = 1", "isn't a table"),
        ("[gazette.example]\nX = 'secret'", "in quotes"),
        ('["a/b"]\nX = "secret"', "isn't a host"),
        ('["user:secret@a.example"]\nX = "1"', "isn't a host"),
        ('["a.example"]\n"X Y" = "secret"', "isn't the name of a header"),
        ('["a.example"]\nHost = "secret"', "set by the connection"),
        ('["a.example"]\nX = 1', "a text in quotes"),
        ('["a.example"]\nX = "secret\\r\\nY: 1"', "control character"),
        ('["a.example"]\nX = "secret ☃"', "beyond Latin-1"),
    ],
)
def test_a_wrong_file_of_headers_is_refused_in_one_line(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "headers.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_site_headers(str(path), None)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    if "user" not in text:
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a.example\tTRUE\t/", "has 3 columns instead of 7"),
        ("a b\tTRUE\t/\tTRUE\t0\tn\tsecret", "isn't a host"),
        ("a.example\tTRUE\t/\tTRUE\tsoon\tn\tsecret", "isn't a time"),
        ("a.example\tTRUE\t/\tTRUE\t0\tn\tsecret\0", "control character"),
    ],
)
def test_a_wrong_line_of_cookies_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "cookies.txt"
    path.write_text(f"# Netscape HTTP Cookie File\n{line}\n")
    with pytest.raises(InputError, match=message) as caught:
        read_site_headers(None, str(path))
    assert f"{path}:2" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_redirect_to_another_host_gets_no_header_and_no_log_shows_one(tmp_path: Path) -> None:
    with recording_server("127.0.0.1") as site, recording_server("127.0.0.2") as other:
        site.replies["/away"] = (302, {"Location": f"{other.url}/b"}, "")
        other.replies["/back"] = (302, {"Location": f"{site.url}/c"}, "")
        headers = tmp_path / "headers.toml"
        headers.write_text(f'["{site.url}"]\nX-Login = "mellon"\nCookie = "s=1"\n')
        settings: dict[str, object] = {
            **LOOPBACK,
            **QUICK,
            "FOREST_SITE_HEADERS": str(headers),
            "FOREST_ACCEPT_LANGUAGE": "de-CH,de;q=0.8",
            "LOG_LEVEL": "DEBUG",
        }
        report = run_fetch(FetchPlan([f"{site.url}/away", f"{other.url}/back"], settings))
        assert report.reasons() == {f"{site.url}/away": None, f"{other.url}/back": None}
        own = [site.headers_of(path) for path in ("/away", "/c")]
        assert [(it["x-login"], it["cookie"]) for it in own] == [("mellon", "s=1")] * 2
        for path in ("/b", "/back"):
            sent = other.headers_of(path)
            assert "x-login" not in sent
            assert "cookie" not in sent
            assert sent["accept-language"] == "de-CH,de;q=0.8"
        assert "mellon" not in report.log
