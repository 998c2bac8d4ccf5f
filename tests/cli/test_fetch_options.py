"""The options for fetching reach the requests of `forest page` and `forest crawl`."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from forest_crawler.cli import main
from forest_crawler.cli._fetch_options import fetch_settings
from tests.support.recording_server import recording_server

LOOPBACK = ["--allow-network", "127.0.0.0/8", "--allow-port", "any"]


def test_page_is_fetched_through_the_proxy_with_cookies_headers_and_language(
    tmp_path: Path,
) -> None:
    headers, cookies = tmp_path / "headers.toml", tmp_path / "cookies.txt"
    url = "http://127.0.0.9/story"
    headers.write_text('["http://127.0.0.9"]\nX-Reader = "42"\n')
    cookies.write_text("127.0.0.9\tFALSE\t/\tFALSE\t0\tsession\tabc\n")
    with recording_server() as proxy:
        given = ["--proxy", proxy.url, "--site-headers", str(headers), "--cookies", str(cookies)]
        given += ["--accept-language", "fr", *LOOPBACK]
        result = CliRunner().invoke(main, ["page", *given, url])
        assert result.exit_code == 0, result.output
        assert result.stdout.startswith("The ferry came back")
        sent = proxy.headers_of(url)
    found = (sent["x-reader"], sent["cookie"], sent["accept-language"])
    assert found == ("42", "session=abc", "fr")


def test_every_option_has_its_setting() -> None:
    command = main.get_command(None, "crawl")  # type: ignore[arg-type]
    assert command is not None
    given = ["--proxy", "a:3128", "--proxy-resolves", "--accept-language", "de", "http://a.example"]
    context = command.make_context("crawl", given)
    settings = fetch_settings(context.params)
    assert (settings["FOREST_PROXY"], settings["FOREST_PROXY_RESOLVES"]) == ("http://a:3128", True)
    assert settings["FOREST_ACCEPT_LANGUAGE"] == "de"


def test_leaving_names_to_a_proxy_needs_one() -> None:
    result = CliRunner().invoke(main, ["page", "--proxy-resolves", "http://a.example/"])
    assert result.exit_code == 2
    assert "--proxy-resolves needs --proxy" in result.stderr
