"""`forest wrappers`, `forest feed` and `forest duplicates` on a store."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from lxml import etree

from forest_crawler.article.article import ArticleSource, make_article
from forest_crawler.cli import main
from forest_crawler.export.source_feeds import write_source_feeds
from forest_crawler.extraction.extraction import extract
from forest_crawler.feed.reader import read_feed
from forest_crawler.page.tree import parse_page
from forest_crawler.store import Candidate, FetchedPage, NewArticle, open_store
from forest_crawler.wrapper.wrapper import Wrapper, dump_wrappers, load_wrappers

SITE = "gazette.example"
FEED = f"http://{SITE}/feed.xml"
PAGE = (
    "<html lang=en><title>{0}</title><h1>{0}</h1><div class='story'><p>All about {0}, at length."
    "<aside>Subscribe</aside></div><p>Menu</p></html>"
)
STORY = "//div[contains(concat(' ',normalize-space(@class),' '),' story ')]"
WRAPPER = Wrapper(SITE, "forest", "portable", (STORY,), ("//aside",), 4, 5, 0.0, 0.75, title="//h1")


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Return the URL of a store with one feed, one wrapper and two articles."""
    url = f"sqlite:///{tmp_path / 'forest.db'}"
    with open_store(url) as opened:
        source = opened.add_source(f"http://{SITE}/")
        opened.update_source(source.id, feed_url=FEED, site=SITE, title="The Gazette")
        opened.replace_wrappers(SITE, [WRAPPER], "induced")
        opened.begin_run()
        for topic in ("rain", "fog"):
            key, page_url = f"{SITE}/{topic}", f"http://{SITE}/{topic}"
            opened.schedule([Candidate(key, page_url, SITE, source.id)])
            opened.lease(10)
            body = PAGE.format(topic)
            opened.hold([FetchedPage(key, body.encode(), url=page_url)])
            tree = parse_page(body, url=page_url)
            made = make_article(tree, extract(tree, [WRAPPER]), ArticleSource(page_url, SITE))
            row = NewArticle(
                made.id, key, SITE, page_url, "wrapper", None, made.content_hash, made.line()
            )
            opened.archive([row])
        opened.end_run()
    return url


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_the_list_has_the_numbers_of_each_wrapper(store: str) -> None:
    result = run("wrappers", "list", "--json", "--store", store)
    (row,) = map(json.loads, result.stdout.splitlines())
    assert (row["site"], row["support"], row["pages"], row["confidence"]) == (SITE, 4, 5, 0.75)
    assert (row["hits"], row["misses"], row["pinned"], row["body"]) == (0, 0, False, [STORY])
    assert 0 <= row["age_days"] < 1
    assert SITE in run("wrappers", "list", "--store", store).stdout


def test_show_prints_paths_css_and_what_they_select(store: str) -> None:
    shown = run("wrappers", "show", SITE, "--store", store).stdout
    assert f"body: {STORY}" in shown
    assert "title: //h1" in shown
    assert "css: div.story" in shown
    assert "css strip: aside" in shown
    assert "All about fog, at length." in shown
    assert "Subscribe" not in shown


def test_exported_json_is_what_was_stored(store: str) -> None:
    result = run("wrappers", "export", "--store", store)
    assert load_wrappers(result.stdout) == [WRAPPER]


def test_a_site_config_names_archived_pages_to_test_it_with(store: str, tmp_path: Path) -> None:
    result = run(
        "wrappers", "export", "--format", "fivefilters", "-o", tmp_path / "out", "--store", store
    )
    assert result.exit_code == 0
    config = (tmp_path / "out" / f"{SITE}.txt").read_text()
    assert f"body: {STORY}\n" in config
    assert f"test_url: http://{SITE}/fog\ntest_contains: All about fog, at length.\n" in config


def test_rules_for_feed_readers_name_the_feed(store: str) -> None:
    result = run("wrappers", "export", "--format", "miniflux", "--store", store)
    assert f'xmlUrl="{FEED}"' in result.stdout
    assert 'text="The Gazette"' in result.stdout
    assert "miniflux has no rule for title" in result.stderr


def test_the_headers_of_a_config_are_written_for_a_crawl(store: str, tmp_path: Path) -> None:
    config, headers = tmp_path / f"{SITE}.txt", tmp_path / "headers.toml"
    config.write_text("body: //main\nhttp_header(referer): http://a.example/\n")
    left = run("wrappers", "import", config, "--store", store)
    assert "line 2: http_header: --site-headers FILE keeps it" in left.stderr
    result = run("wrappers", "import", config, "--store", store, "--site-headers", headers)
    assert result.exit_code == 0, result.stderr
    assert "http_header" not in result.stderr
    assert f'["{SITE}"]\n"referer" = "http://a.example/"\n' in headers.read_text()


def test_an_imported_config_comes_after_the_sites_own_wrappers(store: str, tmp_path: Path) -> None:
    config = tmp_path / f"{SITE}.txt"
    config.write_text(
        "body: //article[@class='post']\nstrip_id_or_class: ad\nif_page_contains: //a\n"
    )
    result = run("wrappers", "import", config, "--store", store)
    assert result.exit_code == 0
    assert "line 3: if_page_contains: not done here" in result.stderr
    with open_store(store) as opened:
        assert [it.wrapper.method for it in opened.wrappers(SITE)] == ["forest", "fivefilters"]


def test_of_many_configs_a_summary_is_printed(store: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.example.txt" for name in "abcd"]
    for file in files:
        file.write_text("body: //p[1]\nmove_into: a\n" if file != files[0] else "body: //p\n")
    files.append(tmp_path / "e.example.txt")
    files[-1].write_text("title: //h1\n")
    result = run("wrappers", "import", *files, "--store", store)
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"forest: {files[-1]}: e.example: it has no body rule",
        "forest: 4 wrappers of 4 files imported",
        "forest: 1 of 5 files without loss, 1 refused",
        "forest:   move_into: 3 lines left out",
        "forest: --verbose names every line",
    ]
    named = run("wrappers", "import", "--verbose", *files, "--store", store).stderr
    assert f"{files[1]}: line 2: move_into: not done here" in named


def test_an_imported_file_can_be_pinned(store: str, tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    file.write_text(dump_wrappers([Wrapper(SITE, "by hand", "portable", ("//main",))]))
    assert run("wrappers", "import", file, "--pin", "--store", store).exit_code == 0
    with open_store(store) as opened:
        first, second = opened.wrappers(SITE)
    assert (first.pinned, first.wrapper.body, second.pinned) == (True, ("//main",), False)


def test_a_refused_file_is_reported_and_the_others_are_imported(store: str, tmp_path: Path) -> None:
    bad, good = tmp_path / "a.example.txt", tmp_path / "b.example.txt"
    bad.write_text("body: //p[count(//p)>0]\n")
    good.write_text("body: //main\n")
    result = run("wrappers", "import", bad, good, "--store", store)
    assert result.exit_code == 1
    assert "a.example.txt" in result.stderr
    with open_store(store) as opened:
        assert opened.sites() == ["b.example", SITE]


def test_a_pinned_wrapper_survives_an_induction(store: str) -> None:
    assert (
        run(
            "wrappers", "pin", SITE, "--body", "//div[@class='story']/p", "--store", store
        ).exit_code
        == 0
    )
    with open_store(store) as opened:
        opened.replace_wrappers(SITE, [WRAPPER], "induced again")
        first = opened.wrappers(SITE)[0]
    assert (first.pinned, first.wrapper.method, first.wrapper.body) == (
        True,
        "by hand",
        (f"{STORY}/p",),
    )


def test_a_stored_wrapper_can_be_pinned_by_its_number(store: str) -> None:
    run("wrappers", "pin", SITE, "--number", 1, "--store", store)
    with open_store(store) as opened:
        (only,) = opened.wrappers(SITE)
    assert (only.pinned, only.wrapper) == (True, WRAPPER)


def test_removed_wrappers_are_not_used(store: str) -> None:
    assert run("wrappers", "rm", SITE, "--store", store).exit_code == 0
    with open_store(store) as opened:
        assert opened.wrappers(SITE) == []


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["show", "other.example"], 2, "no wrappers of 'other.example'"),
        (["pin", SITE], 2, "--body"),
        (["pin", SITE, "--body", "//p[1]"], 2, "portable"),
        (["pin", SITE, "--number", "9"], 2, "no number 9"),
        (["export", "--format", "word"], 2, "word"),
        (["list", "--store", "sqlite:///nowhere.db"], 2, "no such store"),
    ],
)
def test_wrong_usage_is_refused(store: str, arguments: list[str], code: int, message: str) -> None:
    store_is_named = "--store" in arguments
    result = run("wrappers", *arguments, *([] if store_is_named else ["--store", store]))
    assert result.exit_code == code
    assert message in result.stderr


@pytest.mark.parametrize("wanted", [SITE, FEED, f"http://{SITE}/"])
def test_the_feed_has_the_full_articles_of_the_site(
    store: str, tmp_path: Path, wanted: str
) -> None:
    file = tmp_path / "full.xml"
    result = run("feed", wanted, "-o", file, "--store", store)
    assert result.exit_code == 0
    feed = read_feed(file.read_bytes(), url="http://reader.example/full.xml")
    assert [entry.title for entry in feed.entries] == ["fog", "rain"]
    assert "All about fog, at length." in (feed.entries[0].content or "")


def test_a_feed_without_articles_has_its_own_exit_code(store: str) -> None:
    result = run("feed", "other.example", "--store", store)
    assert result.exit_code == 3
    assert "no articles of other.example" in result.stderr


def test_articles_that_repeat_another_are_listed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'forest.db'}"
    agency = " ".join(f"word{i}" for i in range(100))
    with open_store(url) as opened:
        opened.begin_run()
        for topic, text in (("a", agency), ("b", f"{agency} and more"), ("c", "another " * 90)):
            opened.schedule([Candidate(topic, f"http://{topic}.example/", SITE)])
            opened.lease(10)
            opened.hold([FetchedPage(topic, b"<p>")])
            line = json.dumps({"id": topic, "url": f"http://{topic}.example/", "text": text})
            opened.archive([NewArticle(topic, topic, SITE, topic, "wrapper", None, topic, line)])
    result = run("duplicates", "--store", url)
    (row,) = map(json.loads, result.stdout.splitlines())
    assert (row["id"], row["duplicate_of"], row["duplicate_url"]) == ("b", "a", "http://a.example/")
    assert "1 of 3 articles" in result.stderr


def test_every_crawled_feed_gets_a_full_text_version(store: str, tmp_path: Path) -> None:
    with open_store(store) as opened:
        (path,) = write_source_feeds(opened, tmp_path / "feeds")
        entries = read_feed(path.read_bytes(), url=FEED).entries
        assert [entry.title for entry in entries] == ["fog", "rain"]
        assert path.resolve().parent == tmp_path / "feeds"
        assert write_source_feeds(opened, tmp_path / "feeds") == []  # nothing is new


@pytest.mark.parametrize("form", ["fivefilters", "feediron", "freshrss", "miniflux", "rss-bridge"])
def test_an_export_says_how_much_the_other_tool_will_show(store: str, form: str) -> None:
    result = run("wrappers", "export", "--format", form, "--check", "--store", store)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    assert f"{SITE}: whole, 100% of the words on 2 pages in {form}" in result.stderr


def test_a_check_of_rules_that_show_too_little_ends_with_1(store: str) -> None:
    with open_store(store) as opened:
        opened.replace_wrappers(SITE, [replace(WRAPPER, body=("//aside",), strip=())], "induced")
    result = run("wrappers", "export", "--format", "fivefilters", "--check", "--store", store)
    assert result.exit_code == 1
    assert f"{SITE}: not, 0% of the words on 2 pages in fivefilters" in result.stderr


@pytest.mark.parametrize(
    "wrapper",
    [
        replace(WRAPPER, form="xpath", body=("(//p)[1]",)),
        replace(WRAPPER, body=("//div[@id='a\"b']",)),
    ],
    ids=["not portable", "not in these rules"],
)
def test_a_site_that_a_format_cannot_express_fails_the_check(store: str, wrapper: Wrapper) -> None:
    with open_store(store) as opened:
        opened.replace_wrappers(SITE, [wrapper], "induced")
    result = run("wrappers", "export", "--format", "freshrss", "--check", "--store", store)
    assert result.exit_code == 1
    assert f"{SITE}: not, 0% of the words on 2 pages in freshrss" in result.stderr


def test_an_rss_bridge_of_ones_own_is_in_the_addresses(store: str) -> None:
    command = ("wrappers", "export", "--store", store, "--rss-bridge", "https://bridge.example/b/")
    result = run(*command, "--format", "rss-bridge")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("https://bridge.example/b/?action=display&bridge=Css")
    assert run(*command, "--format", "miniflux").exit_code == 2
    assert run(*command[:-1], "nowhere", "--format", "rss-bridge").exit_code == 2


def test_the_addresses_at_an_rss_bridge_are_a_list_to_subscribe_to(
    store: str, tmp_path: Path
) -> None:
    target = tmp_path / "bridge.opml"
    command = ("wrappers", "export", "--store", store, "--rss-bridge", "https://bridge.example/b/")
    result = run(*command, "--format", "rss-bridge", "-o", str(target))
    assert result.exit_code == 0, result.stderr
    (outline, *_) = etree.parse(target).findall(".//outline")
    assert outline.get("xmlUrl", "").startswith("https://bridge.example/b/?action=display&bridge=")
    assert outline.get("htmlUrl", "").startswith("http")
