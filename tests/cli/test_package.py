"""`forest package`: packages from stores and selections, read by `forest evaluate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from forest_crawler.cli import main
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.evaluation.results import PageResult, load_result
from forest_crawler.store import Candidate, FetchedPage, NewArticle, Store, open_store
from forest_crawler.wrapper.wrapper import Wrapper, dump_wrappers

SITE, OTHER = "gazette.example", "bay.example"
STORY = "<ul><li>Home</ul><div class=story><p>The ferry {n} is back.<hr>Ad<p>Crowds cheered.</div>"
TEXT = "The ferry {n} is back.\nCrowds cheered."


def forest(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def evaluate(package: Path, *arguments: str) -> tuple[PageResult, ...]:
    done = forest(*("evaluate", "--data", package, "--format", "json", "--jobs", 1, *arguments))
    assert done.exit_code == 0, done.output
    return load_result(done.stdout).runs[0].pages


def archive(store: Store, site: str, name: str, **fields: object) -> None:
    """Archive an article with these fields for a page that is held or new."""
    key, url = f"{site}/{name}", f"https://{site}/{name}"
    row = {"title": None, "authors": [], "date_publish": None, "language": None, **fields}
    line = json.dumps({"extractor": "page:page", **row})
    store.archive([NewArticle(f"id-{key}", key, site, url, "page:page", None, "h", line)])


def archive_story(store: Store, site: str, name: str, n: int) -> None:
    """Archive a page whose article has all the story's text."""
    key, title = f"{site}/{name}", f"Ferry {n}"
    store.schedule([Candidate(key, f"https://{key}", site, entry={"title": title})])
    store.hold([FetchedPage(key, STORY.format(n=n).encode())])
    known = {"date_publish": "2026-03-06T07:00:00+00:00", "language": "en"}
    text = TEXT.format(n=n)
    archive(store, site, name, title=title, authors=["Ann Lee", "Bo Day"], text=text, **known)


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Make a store with two archived pages of one site, and one of another."""
    url = f"sqlite:///{tmp_path}/forest.db"
    with open_store(url) as opened:
        archive_story(opened, SITE, "one", 1)
        archive_story(opened, SITE, "two", 2)
        archive_story(opened, OTHER, "three", 3)
    return url


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Make a directory with two pages of a story and one without."""
    directory = tmp_path / "gazette"
    directory.mkdir()
    for n in (1, 2):
        (directory / f"{n}.html").write_text(STORY.format(n=n))
    (directory / "1.json").write_text('{"url": "https://gazette.example/1", "title": "Ferry"}')
    (directory / "index.html").write_text("<p>Home")
    return directory


def by_title(directory: Path) -> dict[str | None, LabelledPage]:
    return {page.title: page for page in read_pages(directory)}


def test_a_package_of_a_store_has_its_pages_and_articles(store: str, tmp_path: Path) -> None:
    done = forest("package", "--store", store, tmp_path / "made")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == f"forest: 3 pages written to {tmp_path}/made\n"
    found = by_title(tmp_path / "made")
    assert {(page.title, page.site) for page in found.values()} == {
        ("Ferry 1", SITE),
        ("Ferry 2", SITE),
        ("Ferry 3", OTHER),
    }
    page = found["Ferry 1"]
    assert page.source == STORY.format(n=1).encode()
    assert page.gold == TEXT.format(n=1) + "\n"
    assert (page.url, page.author) == (f"https://{SITE}/one", "Ann Lee, Bo Day")
    assert (page.date, page.language) == ("2026-03-06T07:00:00+00:00", "en")
    assert page.entry is not None
    assert (page.entry.title, page.entry.link) == ("Ferry 1", f"https://{SITE}/one")
    assert page.id.startswith("https-gazette-example-one-")  # and a digest
    metadata = json.loads((tmp_path / "made" / f"{page.id}.json").read_text())
    assert metadata["proposed_by"] == "page:page"


def test_a_package_of_a_store_is_evaluated(store: str, tmp_path: Path) -> None:
    forest("package", "--store", store, tmp_path / "made")
    found = evaluate(tmp_path / "made", "--method", "plain", "--measure", "bag")
    # Besides the seven words of the gold, Home and Ad.
    assert [page.scores["bag"].recall for page in found] == [1, 1, 1]
    assert [page.scores["bag"].precision for page in found] == [7 / 9, 7 / 9, 7 / 9]


def test_gold_that_nobody_has_corrected_is_named(store: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    forest("package", "--store", store, made)
    corrected = next(iter(made.glob("*-one-*.json")))
    corrected.write_text('{"url": "https://gazette.example/one"}')
    done = forest("evaluate", "--data", made, "--method", "plain", "--jobs", 1)
    assert done.exit_code == 0
    assert done.stderr == (
        "forest: made: the gold of 2 of 3 pages is what a method proposed; correct it, and remove "
        "`proposed_by` from NAME.json\n"
    )
    for metadata in made.glob("*.json"):
        if metadata.name != "package.json":
            metadata.write_text("{}")
    assert forest("evaluate", "--data", made, "--method", "plain", "--jobs", 1).stderr == ""


def test_sites_and_a_limit_are_chosen(store: str, tmp_path: Path) -> None:
    forest("package", "--store", store, "--limit", 1, tmp_path / "made", SITE)
    assert list(by_title(tmp_path / "made")) == ["Ferry 2"]  # the newest


def test_an_article_over_several_pages_is_left_out(store: str, tmp_path: Path) -> None:
    first, part = (Candidate(f"{SITE}/{n}", f"https://{SITE}/{n}", SITE) for n in ("rain", "more"))
    with open_store(store) as opened:
        opened.schedule([first])
        opened.hold([FetchedPage(first.key, b"<p>One")])
        opened.follow_part(first.key, part)
        opened.hold([FetchedPage(part.key, b"<p>Two")])
        archive(opened, SITE, "rain", title="Rain", text="One\nTwo")
    done = forest("package", "--store", store, tmp_path / "made", SITE)
    assert done.exit_code == 1
    assert f"1 page left out, the article continues on further pages: https://{SITE}/rain" in (
        done.stderr
    )
    assert by_title(tmp_path / "made").keys() == {"Ferry 1", "Ferry 2"}


def test_an_unknown_site_is_reported_with_the_known_ones(store: str, tmp_path: Path) -> None:
    done = forest("package", "--store", store, tmp_path / "made", "nowhere.example")
    assert done.exit_code == 2
    assert f"no archived pages of nowhere.example, but of {OTHER}, {SITE}" in done.stderr
    assert not (tmp_path / "made").exists()


def test_a_store_without_articles_gives_no_package(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/empty.db"
    open_store(url).close()
    assert forest("package", "--store", url, tmp_path / "made").exit_code == 3
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "selection",
    [
        pytest.param(["--xpath", "//div[@class='story']/p"], id="xpath"),
        pytest.param(["--css", "div.story > p"], id="css"),
    ],
)
def test_a_package_has_the_text_of_a_selection(
    pages: Path, tmp_path: Path, selection: list[str]
) -> None:
    done = forest("package", *selection, tmp_path / "made", pages / "1.html", pages / "2.html")
    assert done.exit_code == 0, done.output
    first, second = sorted(read_pages(tmp_path / "made"), key=lambda page: page.gold or "")
    assert (first.gold, second.gold) == (TEXT.format(n=1) + "\n", TEXT.format(n=2) + "\n")
    assert (first.url, first.title, first.site) == ("https://gazette.example/1", "Ferry", "gazette")
    assert first.fragmented  # by the advertisement
    assert second.id.startswith("gazette-2-")
    found = evaluate(tmp_path / "made", "--method", "plain", "--measure", "bag")
    assert [page.scores["bag"].precision for page in found] == [7 / 9, 7 / 9]


def test_a_selection_without_gaps_is_not_fragmented(pages: Path, tmp_path: Path) -> None:
    forest("package", "--css", ".story", tmp_path / "made", pages / "1.html")
    (page,) = read_pages(tmp_path / "made")
    assert page.fragmented is False
    assert page.gold == "The ferry 1 is back.\nAd\nCrowds cheered.\n"


def test_wrappers_select_the_text_of_their_site(pages: Path, tmp_path: Path) -> None:
    file = tmp_path / "wrappers.json"
    wrapper = Wrapper("gazette", "by hand", "portable", ("//div[@class='story']",), ("//hr",))
    file.write_text(dump_wrappers([wrapper]))
    done = forest("package", "--wrappers", file, tmp_path / "made", pages)
    assert done.exit_code == 1
    assert "1 page left out, nothing is selected: index" in done.stderr
    found = list(read_pages(tmp_path / "made"))
    assert len(found) == 2
    metadata = json.loads((tmp_path / "made" / f"{found[0].id}.json").read_text())
    assert metadata["proposed_by"] == "wrapper"


def test_other_pages_need_the_site_of_the_wrappers(pages: Path, tmp_path: Path) -> None:
    file = tmp_path / "wrappers.json"
    file.write_text(dump_wrappers([Wrapper("bay", "by hand", "portable", ("//p",))]))
    arguments = ("package", "--wrappers", file, tmp_path / "made", pages / "1.html")
    assert forest(*arguments).exit_code == 3
    assert forest(*arguments, "--site", "bay").exit_code == 0


def test_an_existing_package_is_refused_or_added_to(pages: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    forest("package", "--css", ".story", made, pages / "1.html")
    (text,) = made.glob("*.txt")
    text.write_text("corrected")
    refused = forest("package", "--css", ".story", made, pages)
    assert refused.exit_code == 2
    assert "--add" in refused.stderr
    added = forest("package", "--css", ".story", "--add", made, pages)
    assert added.exit_code == 1  # index.html has no story
    assert f"1 page already in {made}, not written again" in added.stderr
    assert f"1 page written to {made}" in added.stderr
    assert text.read_text() == "corrected"
    assert len(list(read_pages(made))) == 2


def test_a_directory_that_cannot_be_written_exits_with_4(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = forest("package", "--css", ".story", tmp_path / "file" / "made", pages / "1.html")
    assert done.exit_code == 4
    assert "cannot be written" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["made", "page.html"], "exactly one of", id="no-source"),
        pytest.param(["--css", "p", "--xpath", "//p", "made", "p.html"], "exactly one", id="two"),
        pytest.param(["--css", "p", "made"], "name the pages", id="no-pages"),
        pytest.param(["--css", "p", "--limit", "1", "made", "p.html"], "--limit", id="limit"),
        pytest.param(["--store", "x", "--site", "s", "made"], "--site is for pages", id="site"),
        pytest.param(["--css", "p[", "made", "p.html"], "--css", id="css"),
        pytest.param(["--xpath", "//[", "made", "p.html"], "--xpath", id="xpath"),
        pytest.param(["--xpath", "count(//p)", "made", "1.html"], "gives a value", id="value"),
        pytest.param(["--css", "p", "made", "no.html"], "no such file", id="no-such-page"),
        pytest.param(["--store", "sqlite:///no.db", "made"], "no such store", id="no-such-store"),
    ],
)
def test_wrong_usage_exits_with_2_and_writes_nothing(
    pages: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(pages)
    done = forest("package", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert not (pages / "made").exists()
