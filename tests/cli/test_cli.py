"""The commands tree, induce and extract: stdout, stderr, files and exit codes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from lxml import etree

from forest_crawler.article.article import Article
from forest_crawler.cli import main
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.wrapper.wrapper import Wrapper, dump_wrappers, load_wrappers

PAGE = (
    "<ul><li>Home<li>News<li>Sport<li>Weather<li>Travel<li>Shop<li>Contact</ul>"
    "<div class=story><h1>{0} opens</h1><p>Our new {0} opens on Monday, said the mayor: the "
    "{0} was built in two years by local people, and visitors may see the {0} for free.</div>"
)
XPATH = "//div[@class='story']"
TOPICS = ("ferry", "bakery", "museum")
SITES = {path.name: path for path in bundled_sites()}


def run(*args: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args], input=stdin)


def make_site(directory: Path, topics: tuple[str, ...] = TOPICS) -> Path:
    directory.mkdir()
    for topic in topics:
        (directory / f"{topic}.html").write_text(PAGE.format(topic))
    return directory


def make_wrappers(directory: Path) -> Path:
    """Create the site `gazette`, and a wrappers file for it by hand."""
    make_site(directory / "gazette")
    file = directory / "wrappers.json"
    file.write_text(dump_wrappers([Wrapper("gazette", "by hand", "portable", (XPATH,))]))
    return file


def test_tree_numbers_elements_depth_first() -> None:
    result = run(
        "tree", "-", stdin="<div><p>One</p></div><p>Two <b>three</b></p><script>x()</script>"
    )
    assert result.exit_code == 0
    # body 1, div 2 with p 3 inside, p 4 with b 5 inside; the script is gone
    found = [(e.tag, e.get("dfs"), e.get("level")) for e in etree.fromstring(result.stdout).iter()]
    assert found == [
        ("body", "1", "1"),
        ("div", "2", "2"),
        ("p", "3", "3"),
        ("p", "4", "2"),
        ("b", "5", "3"),
    ]


def test_the_tree_is_utf_8_whatever_the_page_is(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes("<meta charset=latin-1><p>Müller".encode("latin-1"))
    assert "Müller".encode() in run("tree", page).stdout_bytes


def test_induced_wrappers_are_json_on_stdout_and_stderr_is_empty(tmp_path: Path) -> None:
    result = run("induce", make_site(tmp_path / "gazette"))
    assert (result.exit_code, result.stderr) == (0, "")
    (wrapper,) = load_wrappers(result.stdout)
    assert (wrapper.site, wrapper.pages) == ("gazette", len(TOPICS))


def test_the_output_file_gets_the_wrappers_and_its_directory_is_created(tmp_path: Path) -> None:
    output = tmp_path / "new" / "wrappers.json"
    result = run("induce", make_site(tmp_path / "gazette"), "-o", output)
    assert (result.exit_code, result.stdout) == (0, "")
    assert load_wrappers(output.read_text())[0].site == "gazette"
    assert str(output) in result.stderr


def test_pages_of_several_inputs_are_grouped_by_site(tmp_path: Path) -> None:
    lines = tmp_path / "crawl.jsonl.gz"
    rows = [
        {"site": site, "html": PAGE.format(topic)} for topic in TOPICS for site in ("one", "two")
    ]
    lines.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    result = run("induce", lines, make_site(tmp_path / "three"))
    found = [(wrapper.site, wrapper.pages) for wrapper in load_wrappers(result.stdout)]
    assert found == [("one", 3), ("two", 3), ("three", 3)]


def test_site_option_makes_single_pages_siblings(tmp_path: Path) -> None:
    pages = [make_site(tmp_path / topic, (topic,)) for topic in TOPICS]
    assert run("induce", *pages).exit_code == 3
    (wrapper,) = load_wrappers(run("induce", *pages, "--site", "gazette").stdout)
    assert (wrapper.site, wrapper.pages) == ("gazette", 3)


def test_method_option_reaches_the_wrapper(tmp_path: Path) -> None:
    result = run("induce", make_site(tmp_path / "gazette"), "--method", "coverage")
    assert load_wrappers(result.stdout)[0].method == "coverage"


@pytest.mark.parametrize("command", ["induce", "demo"])
@pytest.mark.parametrize(
    ("method", "message"),
    [
        pytest.param("sst", "induces no wrapper; measure it with forest evaluate", id="no wrapper"),
        pytest.param("nothing", "is not one of 'coverage'", id="unknown"),
    ],
)
def test_a_method_that_induces_no_wrapper_is_refused(
    command: str, method: str, message: str
) -> None:
    result = run(command, "--method", method)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert "sst" not in run(command, "--help").stdout


def test_a_site_with_one_page_is_reported_and_the_others_are_induced(tmp_path: Path) -> None:
    single = make_site(tmp_path / "lonely", ("ferry",))
    result = run("induce", single, make_site(tmp_path / "gazette"))
    assert result.exit_code == 1
    assert "lonely: 1 page given" in result.stderr
    assert [wrapper.site for wrapper in load_wrappers(result.stdout)] == ["gazette"]


def test_an_empty_page_is_reported_and_its_site_is_induced_without_it(tmp_path: Path) -> None:
    site = make_site(tmp_path / "gazette")
    (site / "blank.html").write_text("<!-- nothing -->")
    result = run("induce", site)
    assert result.exit_code == 0
    assert "gazette: page blank skipped" in result.stderr
    assert load_wrappers(result.stdout)[0].pages == len(TOPICS)


def test_pages_without_their_own_text_give_no_wrapper(tmp_path: Path) -> None:
    site = tmp_path / "blank"
    site.mkdir()
    for name in "ab":
        (site / f"{name}.html").write_text("<p>&nbsp;<img>")
    output = tmp_path / "wrappers.json"
    result = run("induce", site, "-o", output)
    assert (result.exit_code, output.exists()) == (3, False)
    assert "no pattern stands out" in result.stderr


def test_an_extracted_line_has_the_article_and_its_origin(tmp_path: Path) -> None:
    wrappers = make_wrappers(tmp_path)
    # A page that induction has not seen.
    (tmp_path / "gazette" / "new.html").write_text(PAGE.format("lighthouse"))
    result = run("extract", "--wrappers", wrappers, tmp_path / "gazette" / "new.html")
    assert (result.exit_code, result.stderr) == (0, "")
    line = json.loads(result.stdout)
    names = [field.name for field in fields(Article) if field.name != "truncated"]
    assert list(line) == ["page", *names]
    assert (line["page"], line["site"], line["url"]) == ("new", "gazette", None)
    assert line["extractor"] == "wrapper"
    assert line["xpath"] == XPATH
    assert line["title"] == "lighthouse opens"
    assert line["text"].startswith("Our new lighthouse")
    assert line["html"].startswith("<p>Our new lighthouse")
    assert line["markdown"].startswith("Our new lighthouse")


def test_the_forms_begin_with_the_headline_on_request(tmp_path: Path) -> None:
    wrappers = make_wrappers(tmp_path)
    (tmp_path / "gazette" / "new.html").write_text(PAGE.format("lighthouse"))
    page = tmp_path / "gazette" / "new.html"
    line = json.loads(run("extract", "--with-title", "--wrappers", wrappers, page).stdout)
    assert line["text"].startswith("lighthouse opens\n\nOur new lighthouse")
    assert line["html"].startswith("<h1>lighthouse opens</h1>\n<p>Our new lighthouse")
    assert line["markdown"].startswith("# lighthouse opens\n\nOur new lighthouse")


def test_lines_can_have_other_tools_field_names_and_only_some_fields(tmp_path: Path) -> None:
    arguments = ("extract", "--wrappers", make_wrappers(tmp_path), tmp_path / "gazette")
    row = json.loads(run(*arguments, "--schema", "newsplease").stdout.splitlines()[0])
    assert (row["source_domain"], row["maintext"][:14]) == ("gazette", "Our new bakery")
    chosen = run(*arguments, "--schema", "schemaorg", "--fields", "page, articleBody")
    assert list(json.loads(chosen.stdout.splitlines()[0])) == ["page", "articleBody"]
    absent = run(*arguments, "--fields", "page,truncated")  # by default only if it is true
    assert json.loads(absent.stdout.splitlines()[0])["truncated"] is None
    wrong = run(*arguments, "--fields", "headline")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "unknown field 'headline'" in wrong.stderr


def test_pages_without_an_article_give_empty_lines_and_are_counted(tmp_path: Path) -> None:
    wrappers = make_wrappers(tmp_path)
    (tmp_path / "gazette" / "about.html").write_text("<p>About us")
    (tmp_path / "gazette" / "blank.html").write_text("")
    other = make_site(tmp_path / "elsewhere", ("ferry",))
    result = run(
        "extract", "--fallback", "none", "--wrappers", wrappers, tmp_path / "gazette", other
    )
    assert result.exit_code == 1
    lines = {row["page"]: row for row in map(json.loads, result.stdout.splitlines())}
    assert lines["bakery"]["extractor"] == "wrapper"
    # The pages of `gazette` come first, so the last `ferry` is of the site without wrappers.
    for name in ("about", "blank", "ferry"):
        row = lines[name]
        assert (row["extractor"], row["xpath"], row["text"], row["html"]) == (None, None, "", "")
    assert "gazette: no wrapper matches 1 page: about" in result.stderr
    assert "gazette: page blank skipped" in result.stderr
    assert "elsewhere: no wrappers for 1 page: ferry" in result.stderr
    assert "3 of 6 pages without an article" in result.stderr


def test_nothing_extracted_has_its_own_exit_code(tmp_path: Path) -> None:
    other = make_site(tmp_path / "elsewhere")
    result = run("extract", "--fallback", "none", "--wrappers", make_wrappers(tmp_path), other)
    assert result.exit_code == 3
    assert len(result.stdout.splitlines()) == len(TOPICS)


def test_the_fallback_extracts_a_page_that_no_wrapper_fits(tmp_path: Path) -> None:
    other = make_site(tmp_path / "elsewhere", ("ferry",))
    arguments = ("extract", "--wrappers", make_wrappers(tmp_path), other)
    result = run(*arguments, "--fallback", "plain")
    assert result.exit_code == 0
    row = json.loads(result.stdout)
    assert (row["extractor"], row["xpath"]) == ("page:plain", None)
    assert "ferry opens" in row["text"]


@pytest.mark.parametrize("name", ["no-such-method", "sigfeed"])
def test_an_unusable_fallback_is_refused_before_any_page_is_read(name: str, tmp_path: Path) -> None:
    result = run("extract", "--wrappers", make_wrappers(tmp_path), tmp_path, "--fallback", name)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_site_option_applies_a_sites_wrappers_to_pages_from_elsewhere(tmp_path: Path) -> None:
    other = make_site(tmp_path / "elsewhere", ("ferry",))
    wrappers = make_wrappers(tmp_path)
    result = run("extract", "--wrappers", wrappers, "--site", "gazette", other)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["text"].startswith("Our new ferry")


def test_lines_are_ascii_whatever_the_page_says(tmp_path: Path) -> None:
    wrappers = make_wrappers(tmp_path)
    html = PAGE.format("lighthouse\u2028灯台")
    row = json.dumps({"site": "gazette", "id": "\ud800", "html": html})
    result = run("extract", "--wrappers", wrappers, "-", stdin=row)
    assert result.exit_code == 0
    assert result.stdout_bytes.isascii()
    assert "灯台" in json.loads(result.stdout)["text"]


def test_wrappers_can_come_from_stdin(tmp_path: Path) -> None:
    wrappers = make_wrappers(tmp_path).read_text()
    result = run("extract", "--wrappers", "-", tmp_path / "gazette", stdin=wrappers)
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, len(TOPICS))


def test_round_trip_on_an_easy_site_gives_nearly_the_gold_text(tmp_path: Path) -> None:
    # This site's article is one block with one class. Kicker and byline may be selected too, which
    # costs some precision on its short texts; a wrong block would score below 0.5.
    site = SITES["open-field"]
    wrappers = tmp_path / "wrappers.json"
    assert run("induce", site, "-o", wrappers).exit_code == 0
    result = run("extract", "--wrappers", wrappers, site)
    assert result.exit_code == 0
    texts = {row["page"]: row["text"] for row in map(json.loads, result.stdout.splitlines())}
    scores = [bigram_score(page.gold or "", texts[page.id]).f1 for page in read_pages(site)]
    assert sum(scores) / len(scores) > 0.9


def broken_wrappers(change: Callable[[str], str]) -> Callable[[Path], list[str | Path]]:
    """Return the arguments of an extraction with a changed wrappers file."""

    def arguments(directory: Path) -> list[str | Path]:
        file = make_wrappers(directory)
        file.write_text(change(file.read_text()))
        return ["extract", "--wrappers", file, directory / "gazette"]

    return arguments


def lines_input(content: str) -> Callable[[Path], list[str | Path]]:
    """Return the arguments of an induction from a file with this content."""

    def arguments(directory: Path) -> list[str | Path]:
        (directory / "pages.jsonl").write_text(content)
        return ["induce", directory / "pages.jsonl"]

    return arguments


def with_xpath(expression: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        document = json.loads(text)
        document["wrappers"][0]["body"] = [expression]
        return json.dumps(document)

    return change


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        pytest.param(lambda d: ["tree", d / "no.html"], 2, "no.html: no such file", id="no-page"),
        pytest.param(
            lambda d: ["tree", d], 2, "is a directory; give a file", id="tree-of-directory"
        ),
        pytest.param(lambda d: ["tree", "-"], 2, "nothing to extract from", id="tree-of-nothing"),
        pytest.param(lambda d: ["induce"], 2, "Missing argument", id="no-input"),
        pytest.param(lambda d: ["induce", d / "no"], 2, "no: no such file", id="no-directory"),
        pytest.param(lambda d: ["induce", d], 2, "no pages in it", id="empty-directory"),
        pytest.param(
            lambda d: ["induce", make_site(d / "s"), "--method", "x"],
            2,
            "'forest-paper'",
            id="unknown-method",
        ),
        pytest.param(
            lambda d: ["induce", make_site(d / "s", ("ferry",))],
            3,
            "s: 1 page given, at least 2 siblings needed; give more of its pages",
            id="one-page",
        ),
        pytest.param(lines_input('{"html": '), 2, "pages.jsonl:1: not JSON", id="broken-line"),
        pytest.param(lines_input('{"url": "x"}'), 2, "no field 'html'", id="line-without-html"),
        pytest.param(lines_input("<p>x"), 2, "name must end in .html", id="page-as-lines"),
        pytest.param(
            lambda d: ["induce", make_site(d / "s"), "-o", d / "s" / "ferry.html" / "w.json"],
            4,
            "w.json: cannot be written",
            id="unwritable-output",
        ),
        pytest.param(lambda d: ["extract", d], 2, "--wrappers", id="no-wrappers-option"),
        pytest.param(
            lambda d: ["extract", "--wrappers", d / "w.json", d],
            2,
            "w.json: no such file",
            id="no-wrappers-file",
        ),
        pytest.param(
            lambda d: ["extract", "--wrappers", make_wrappers(d), d / "gazette", d / "no"],
            2,
            "no: no such file",
            id="second-input-missing",
        ),
        pytest.param(
            lambda d: ["extract", "--wrappers", "-", "-"], 2, "both the wrappers", id="stdin-twice"
        ),
        pytest.param(
            broken_wrappers(lambda text: text.replace('"version": 1', '"version": 99')),
            2,
            "wrappers.json: written in version 99",
            id="another-version",
        ),
        pytest.param(
            broken_wrappers(lambda text: text[:99]), 2, "wrappers.json: not JSON", id="cut-wrappers"
        ),
        pytest.param(broken_wrappers(lambda text: "[]"), 2, "not a wrappers file", id="other-json"),
        pytest.param(broken_wrappers(with_xpath("//p[")), 2, "not an XPath", id="no-xpath"),
        pytest.param(broken_wrappers(with_xpath("//p[f()]")), 2, "//p[f()]", id="no-function"),
    ],
)
def test_unusable_input_is_reported_with_its_exit_code(
    tmp_path: Path, arguments: Callable[[Path], list[str | Path]], code: int, message: str
) -> None:
    result = run(*arguments(tmp_path), stdin="")
    assert isinstance(result.exception, SystemExit)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_an_interruption_has_its_own_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(source: bytes) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("forest_crawler.cli.tree.parse_page", interrupt)
    assert run("tree", "-", stdin="<p>x").exit_code == 130


def test_names_of_pages_cannot_control_the_terminal(tmp_path: Path) -> None:
    rows = json.dumps({"site": "\x1b[2Jgone", "html": PAGE.format("ferry")})
    result = run("induce", "-", stdin=rows)
    assert "gone: 1 page given" in result.stderr
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize("name", ["demo", "extract", "induce", "tree"])
def test_every_command_is_listed_and_has_help(name: str) -> None:
    assert f"\n  {name} " in run("--help").stdout
    assert f"Usage: main {name}" in run(name, "--help").stdout
