"""The sites in `data/sites` are complete test packages, of the promised variety."""

import io
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import feedparser
import pytest
from lxml import etree, html

DATA = Path(__file__).resolve().parents[2] / "data"
SITES = sorted(path.parent for path in (DATA / "sites").glob("*/package.json"))
SIZE_LIMIT = 1_500_000  # the sites are in the wheel

HIDDEN = {"head", "script", "style", "noscript", "template"}
REGEXP = {"re": "http://exslt.org/regular-expressions"}
INLINE = {"a", "b", "em", "font", "i", "span", "strong"}

per_site = pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)


def package(site: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((site / "package.json").read_text(encoding="utf-8"))
    return facts


def sites_with(difficulty: str) -> list[Path]:
    """Return the sites that list a difficulty, so that tests prove that they have it."""
    found = [site for site in SITES if difficulty in package(site)["difficulties"]]
    assert found, f"no bundled site has the difficulty {difficulty!r}"
    return found


def documents(site: Path) -> list[str]:
    return sorted(path.stem for path in site.glob("*.txt"))


def gold(site: Path, doc: str) -> list[str]:
    return (site / f"{doc}.txt").read_text(encoding="utf-8").splitlines()


def metadata(site: Path, doc: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((site / f"{doc}.json").read_text(encoding="utf-8"))
    return facts


def feed(site: Path) -> Any:
    return feedparser.parse(io.BytesIO((site / package(site)["feed"]).read_bytes()))


@cache
def page(site: Path, doc: str) -> html.HtmlElement:
    parser = html.HTMLParser(encoding=package(site)["encoding"])
    return html.document_fromstring((site / f"{doc}.html").read_bytes(), parser=parser)


def pages(site: Path) -> list[html.HtmlElement]:
    return [page(site, doc) for doc in documents(site)]


def visible_text(element: etree._Element) -> str:
    return " ".join("".join(_text_parts(element)).split())


def _text_parts(element: etree._Element) -> Iterator[str]:
    if isinstance(element.tag, str) and element.tag not in HIDDEN:
        gap = "" if element.tag in INLINE else " "
        yield gap + (element.text or "")
        for child in element:
            yield from _text_parts(child)
        yield gap
    yield element.tail or ""


def long_sentences(lines: list[str]) -> Iterator[str]:
    """Yield sentences of more than 8 words; two Japanese characters count as a word."""
    for line in lines:
        for sentence in re.split(r"(?<=[.!?]) |(?<=[。！？])", line):
            if len(sentence.split()) > 8 or (" " not in sentence and len(sentence) > 16):
                yield sentence


def classes(tree: html.HtmlElement) -> set[str]:
    return {token for value in tree.xpath("//@class") for token in str(value).split()}


def holders(tree: html.HtmlElement, lines: list[str]) -> Counter[etree._Element]:
    """Count per element how many lines of the gold text are its children."""
    texts = {element: visible_text(element) for element in tree.iter("p")}
    return Counter(
        parent
        for element, text in texts.items()
        if text in lines and (parent := element.getparent()) is not None
    )


def story_block(tree: etree._Element, lines: list[str]) -> etree._Element:
    """Return the deepest element that holds all of these lines."""
    for child in tree:
        text = visible_text(child)
        if all(line in text for line in lines):
            return story_block(child, lines)
    return tree


def foreign_text(text: str, lines: list[str]) -> str:
    """Return the text of a page that is between some lines."""
    position, foreign = text.index(lines[0]), ""
    for line in lines:
        found = text.index(line, position)
        foreign += text[position:found].strip()
        position = found + len(line)
    return foreign


def test_at_least_eight_sites_are_bundled() -> None:
    assert len(SITES) >= 8


def test_the_sites_stay_small_enough_for_the_wheel() -> None:
    files = [path for path in (DATA / "sites").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < SIZE_LIMIT


@per_site
def test_every_article_has_its_three_files(site: Path) -> None:
    docs = documents(site)
    assert len(docs) >= 10
    named = {f"{doc}.{kind}" for doc in docs for kind in ("html", "json", "txt")}
    facts = package(site)
    described = {"package.json", facts["feed"], facts["home"]}
    assert {path.name for path in site.iterdir()} == named | described


@per_site
def test_description_file_names_the_site(site: Path) -> None:
    facts = package(site)
    assert facts["name"] == site.name
    assert facts["url"] == f"http://{site.name}.example/"
    assert facts["difficulties"]


@per_site
def test_metadata_is_complete(site: Path) -> None:
    for doc in documents(site):
        facts = metadata(site, doc)
        assert facts["url"].startswith(package(site)["url"])
        assert facts["url"].endswith(f"/{doc}.html")
        assert facts["title"] == gold(site, doc)[0]
        assert datetime.fromisoformat(facts["date"]).tzinfo is not None
        assert facts["tags"]
        assert facts["author"] is None or facts["author"]


@per_site
def test_feed_links_every_article_once(site: Path) -> None:
    parsed = feed(site)
    assert not parsed.bozo
    titles = {metadata(site, doc)["url"]: metadata(site, doc)["title"] for doc in documents(site)}
    assert {entry.link: entry.title for entry in parsed.entries} == titles
    assert len(parsed.entries) == len(titles)


@per_site
def test_feed_entries_carry_lead_and_date(site: Path) -> None:
    leads = {metadata(site, doc)["url"]: gold(site, doc)[1] for doc in documents(site)}
    for entry in feed(site).entries:
        assert entry.summary == leads[entry.link]
        assert entry.get("published_parsed") or entry.updated_parsed


@per_site
def test_home_page_links_feed_and_articles(site: Path) -> None:
    links = {str(link) for link in page(site, "index").xpath("//@href")}
    assert {metadata(site, doc)["url"] for doc in documents(site)} <= links
    assert package(site)["url"] + package(site)["feed"] in links


@per_site
def test_gold_lines_occur_in_the_page_in_order(site: Path) -> None:
    for doc in documents(site):
        text, position = visible_text(page(site, doc)), 0
        for line in gold(site, doc):
            found = text.find(" ".join(line.split()), position)
            assert found >= 0, f"{doc}: {line!r} is not in the page after character {position}"
            position = found + len(line)


@per_site
def test_author_and_tags_are_in_the_page(site: Path) -> None:
    for doc in documents(site):
        text, facts = visible_text(page(site, doc)), metadata(site, doc)
        assert all(tag in text for tag in facts["tags"])
        assert facts["author"] is None or facts["author"] in text


@per_site
def test_no_long_sentence_is_shared_by_two_articles(site: Path) -> None:
    sentences = {doc: set(long_sentences(gold(site, doc))) for doc in documents(site)}
    assert all(sentences.values())
    for one, other in combinations(sentences, 2):
        assert not sentences[one] & sentences[other]


@per_site
def test_pages_declare_encoding_and_language(site: Path) -> None:
    facts = package(site)
    for doc in documents(site):
        raw = (site / f"{doc}.html").read_bytes()
        declared = re.search(rb"charset=[\"']?([\w-]+)", raw, re.IGNORECASE)
        assert declared
        assert declared[1].decode().lower() == facts["encoding"]
        assert page(site, doc).get("lang", "").split("-")[0] == facts["language"]
        raw.decode(facts["encoding"])


def test_feeds_come_in_three_formats() -> None:
    assert {"rss20", "atom10", "rss10"} <= {feed(site).version for site in SITES}


def test_languages_are_english_german_french_and_japanese() -> None:
    assert {"en", "de", "fr", "ja"} <= {package(site)["language"] for site in SITES}


def test_some_pages_cannot_be_read_as_utf8() -> None:
    legacy = [site for site in SITES if package(site)["encoding"] != "utf-8"]
    assert legacy
    for path in (site / f"{doc}.html" for site in legacy for doc in documents(site)):
        with pytest.raises(UnicodeDecodeError):
            path.read_bytes().decode("utf-8")


def test_article_lengths_range_from_notice_to_feature() -> None:
    lengths = [
        len(" ".join(gold(site, doc)).split())
        for site in SITES
        if package(site)["language"] != "ja"
        for doc in documents(site)
    ]
    assert min(lengths) <= 80
    assert max(lengths) >= 800


def test_table_era_pages_nest_tables_and_have_no_class() -> None:
    for site in sites_with("no-classes"):
        for tree in pages(site):
            assert tree.xpath("//table//table")
            assert not classes(tree)


def test_two_templates_have_different_markup() -> None:
    for site in sites_with("two-templates"):
        groups: dict[str, list[set[str]]] = {}
        for doc in documents(site):
            groups.setdefault(metadata(site, doc)["template"], []).append(classes(page(site, doc)))
        common = [set.intersection(*group) for group in groups.values()]
        assert min(len(group) for group in groups.values()) >= 5
        assert len(common) == 2
        assert common[0].isdisjoint(common[1])


def test_modern_pages_hold_the_story_in_one_article_element() -> None:
    for site in sites_with("modern-article"):
        for doc in documents(site):
            [article] = page(site, doc).xpath("//article")
            text = visible_text(article)
            assert all(line in text for line in gold(site, doc))


def test_paragraphs_are_in_several_sibling_containers() -> None:
    for site in sites_with("sibling-containers"):
        for doc in documents(site):
            found = holders(page(site, doc), gold(site, doc)[2:])
            siblings = Counter((holder.getparent(), holder.tag) for holder in found)
            assert max(siblings.values()) >= 2


def test_build_hashes_differ_between_two_halves_of_a_site() -> None:
    for site in sites_with("two-builds"):
        titles = Counter(str(tree.xpath("string(//h1/@class)")) for tree in pages(site))
        half = len(documents(site)) // 2
        assert sorted(titles.values()) == [half, len(documents(site)) - half]


@pytest.mark.parametrize("difficulty", ["page-specific-ids", "changing-numbers"])
def test_every_page_has_its_own_numbered_id(difficulty: str) -> None:
    for site in sites_with(difficulty):
        ids = Counter(str(value) for tree in pages(site) for value in set(tree.xpath("//@id")))
        own = [value for value, count in ids.items() if count == 1 and re.search(r"\d{4}", value)]
        assert len(own) >= len(documents(site))


def test_a_few_pages_have_the_class_of_an_experiment() -> None:
    for site in sites_with("ab-class"):
        counts = Counter(token for tree in pages(site) for token in classes(tree))
        experiments = [n for token, n in counts.items() if re.match(r"(exp|test)-", token)]
        assert len(experiments) == 1
        assert 2 <= experiments[0] <= 4


def test_an_article_has_comments_longer_than_itself_inside_its_block() -> None:
    for site in sites_with("comments-longer-than-article"):
        longer = []
        for doc in documents(site):
            [block] = page(site, doc).find_class("entry-content")
            comments = "".join(map(visible_text, block.find_class("comment-content")))
            longer.append(len(comments) > 2 * len("".join(gold(site, doc))))
        assert any(longer)


def test_a_wiki_has_many_links_in_its_text() -> None:
    for site in sites_with("link-heavy"):
        for doc in documents(site):
            block = story_block(page(site, doc), gold(site, doc)[1:])
            links = sum(len(list(child.iter("a"))) for child in block.iterchildren("p", "ul"))
            assert len(" ".join(gold(site, doc)).split()) < 12 * links


def test_titles_are_outside_the_block_that_holds_the_text() -> None:
    for site in sites_with("title-outside-body"):
        for doc in documents(site):
            [(block, _)] = holders(page(site, doc), gold(site, doc)[1:]).most_common(1)
            assert gold(site, doc)[0] not in visible_text(block)


def test_sidebars_are_longer_than_short_articles() -> None:
    for site in sites_with("long-sidebar"):
        for doc in documents(site):
            [sidebar] = page(site, doc).find_class("sidebar")
            assert len(visible_text(sidebar)) > 2 * len(" ".join(gold(site, doc)))


def test_some_paragraphs_are_separated_by_line_breaks_only() -> None:
    for site in sites_with("line-break-paragraphs"):
        for doc in documents(site):
            assert not holders(page(site, doc), gold(site, doc))
            assert len(page(site, doc).xpath("//br/following-sibling::node()[1][self::br]")) >= 3


@pytest.mark.parametrize(
    ("difficulty", "box"),
    [
        ("newsletter-inside", ".//input[@type='email']"),
        ("share-bar-inside", ".//*[starts-with(@class, 'share')]"),
        ("comments-inside", ".//*[starts-with(@id, 'comment-') or starts-with(@id, 'beitrag-')]"),
        ("related-inside", ".//*[re:test(@class, 'related|auch|renvoi')]"),
    ],
)
def test_boxes_are_inside_the_block_of_the_story(difficulty: str, box: str) -> None:
    for site in sites_with(difficulty):
        blocks = [story_block(page(site, doc), gold(site, doc)[1:]) for doc in documents(site)]
        assert any(block.xpath(box, namespaces=REGEXP) for block in blocks)


@per_site
def test_fragmented_means_other_text_between_the_paragraphs(site: Path) -> None:
    for doc in documents(site):
        lines, text = gold(site, doc), visible_text(page(site, doc))
        if metadata(site, doc)["fragmented"]:
            assert foreign_text(text, lines[1:])
        else:
            assert not foreign_text(text, lines[2:])


def test_generator_writes_exactly_these_files() -> None:
    command = [sys.executable, "-m", "data.generator", "--check"]
    run = subprocess.run(command, cwd=DATA.parent, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
