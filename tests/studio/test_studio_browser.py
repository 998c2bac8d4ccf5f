"""The studio in Chromium: people correct three sites by clicks, and a crawl uses their wrappers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from forest_crawler.cli._demo_server import ServedSite, serve_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.page.tree import parse_page
from forest_crawler.store import FetchedPage, NewArticle, open_store
from forest_crawler.store.studio_store import read_studio_store
from forest_crawler.studio.app import make_app
from forest_crawler.studio.effects import words_f1
from forest_crawler.studio.options import StudioOptions
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.browser import open_browser
from tests.support.crawl_process import Crawl
from tests.support.growing_sites import copy_sites, grow_feed
from tests.support.store_builders import candidate
from tests.support.waiting import HANG
from tests.support.web_server import run_app

EDITS = {
    "harbour-gazette": (
        "masthead__nav",
        "article.story",
        (".story__kicker", ".story__meta", ".share", ".story__foot", ".signup", ".inline-related"),
    ),
    "kettle-and-kiln": (
        "main-navigation",
        "article.format-standard",
        (
            *(".entry-meta", ".entry-footer", ".sd-sharing-enabled", ".post-likes-widget"),
            *(".related-posts", ".comments-area", ".promo-block"),
        ),
    ),
    "stadtlicht": (
        "sl-nav",
        ".sl-story",
        (
            *(".sl-ressort", ".sl-autor", ".sl-row--teilen", ".sl-row--themen", ".sl-row--forum"),
            *(".sl-row--auch", ".sl-row--newsletter"),
        ),
    ),
}
"""What a person would point at, found by looking at the pages: menu, body, what is not part."""

MENU = "//nav[contains(concat(' ',normalize-space(@class),' '),' {} ')]"

FIRST_ENTRIES, ALL_ENTRIES = 6, 8
MAX_WAIT = 1000 * HANG  # milliseconds
AXE_CONTROL = (
    "<html lang=en><title>control</title><main><h1>x</h1><img src=data:,>"
    "<p style='color:#888;background:#999'>Nobody can read this."
)
AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@dataclass(frozen=True, slots=True)
class Running:
    """A crawled store, the studio over it, and the sites that still are served."""

    crawl: Crawl
    sites: dict[str, ServedSite]
    directories: dict[str, Path]
    labels: Path
    address: str


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def running(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Crawl three bundled sites, and open the studio."""
    directory = tmp_path_factory.mktemp("studio")
    copies = copy_sites([*EDITS], directory, FIRST_ENTRIES)
    with serve_sites(copies) as sites:
        crawl = Crawl(directory, tuple(site.home for site in sites))
        assert crawl.run().returncode == 0
        options = StudioOptions(crawl.store, labels=directory / "labels")
        with run_app(make_app(options)) as address:
            named = {site.name: site for site in sites}
            places = {path.name: path for path in copies}
            yield Running(crawl, named, places, options.labels, address)


def is_problem(message: Any) -> bool:
    """Whether the console shows an error; a refused draft (422) is an answer, not an error."""
    return message.type == "error" and "status of 422" not in message.text


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A tab of 1440 pixels; an error of a script, or a refused load, fails the test."""
    opened = browser.new_page(viewport={"width": 1440, "height": 900})
    opened.set_default_timeout(MAX_WAIT)
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda it: problems.append(it.text) if is_problem(it) else None)
    yield opened
    opened.close()
    assert problems == []


def open_editor(page: Any, running: Running, name: str) -> None:
    page.goto(f"{running.address}/sites/{name}.localhost")
    page.get_by_role("link", name="Edit by pointing").click()
    page.locator("#effects details").first.wait_for()


def held_keys(page: Any) -> list[str]:
    return [it.get_attribute("value") for it in page.locator("#page option").all()]


def frame_of(page: Any) -> Any:
    """Return the frame once its script can report clicks."""
    page.frame_locator("#frame").locator("body[tabindex]").wait_for()
    return page.frame_locator("#frame")


def use_tool(page: Any, tool: str) -> None:
    page.locator(f"[data-tool={tool}]").click()


def click(page: Any, dfs: int) -> None:
    """Click an element as people do: something inside it, then its own button."""
    steps = int(page.locator(".editor").get_attribute("data-steps"))
    frame_of(page).locator(f'[data-dfs="{dfs}"]').click()
    wait_for_steps(page, 1 + steps)
    step = page.locator(f'#around [data-dfs="{dfs}"]')
    if step.get_attribute("aria-current") != "true":
        step.click()
        wait_for_steps(page, 2 + steps)


def wait_for_steps(page: Any, number: int) -> None:
    """Wait until the page shows the result of so many steps."""
    page.locator(f'.editor[data-steps="{number}"]').wait_for()


def find_elements(running: Running, name: str, key: str, css: str) -> list[int]:
    """Return the dfs numbers of a page's elements, by the source that the site serves."""
    site = running.sites[name]
    path = "/" + key.partition("/")[2]
    tree = parse_page(site.files[path].read_bytes())
    found = tree.body.cssselect(css)
    return [tree.outline.positions[it] + 1 for it in found if it in tree.outline.positions]


def choose(page: Any, running: Running, name: str, css: str) -> bool:
    """Point at the first element that fits, on the first held page that has one."""
    for key in held_keys(page):
        numbers = find_elements(running, name, key, css)
        if numbers:
            if page.locator("#page").input_value() != key:
                with page.expect_response("**/draft"):
                    page.locator("#page").select_option(key)
            click(page, numbers[0])
            return True
    return False


def gold_of(running: Running, name: str) -> dict[str, str]:
    """Return the gold texts of a site's pages by their path."""
    site = running.sites[name]
    pages = {page.id: page.gold for page in read_pages(running.directories[name])}
    return {path: pages[number] or "" for path, number in site.pages.items()}


def correct_site(page: Any, running: Running, name: str) -> None:
    """Click until a wrapper is right that selects the menu; pin it, and compare it with gold."""
    menu, body, strips = EDITS[name]
    with open_store(running.crawl.store) as store:
        wrong = Wrapper(f"{name}.localhost", "forest", "portable", (MENU.format(menu),))
        store.replace_wrappers(f"{name}.localhost", [wrong], "wrong on purpose")
    open_editor(page, running, name)
    use_tool(page, "strip")
    assert choose(page, running, name, f".{menu}")
    assert page.locator("#rules").inner_text().startswith("No rule yet")
    use_tool(page, "body")
    assert choose(page, running, name, body)
    use_tool(page, "strip")
    stripped = [css for css in strips if choose(page, running, name, css)]
    assert len(stripped) >= 4
    page.get_by_role("button", name="Pin this wrapper").click()
    page.get_by_text("Pinned. The next pages").wait_for()
    with read_studio_store(running.crawl.store) as store:
        (stored,) = store.wrappers(f"{name}.localhost")
        held = store.recent_pages(f"{name}.localhost", 20)
    assert stored.pinned
    gold = gold_of(running, name)
    assert len(held) == FIRST_ENTRIES
    for it in held:
        text = stored.wrapper.select(parse_page(it.body, url=it.url)).text
        assert words_f1(text, gold["/" + it.key.partition("/")[2]]) > 0.97, it.key


def test_clicks_correct_three_sites_and_a_crawl_uses_their_wrappers(
    page: Any, running: Running
) -> None:
    for name in EDITS:
        correct_site(page, running, name)
    with read_studio_store(running.crawl.store) as store:
        pinned = {it: store.wrappers(f"{it}.localhost") for it in EDITS}
    for directory in running.directories.values():
        grow_feed(directory, ALL_ENTRIES)
    page.goto(f"{running.address}/sources")
    for number in range(len(EDITS)):
        page.get_by_role("button", name="Poll now").nth(number).click()
        page.wait_for_url("**/sources?show=due")
        page.goto(f"{running.address}/sources")
    assert running.crawl.run().returncode == 0
    rows = [json.loads(line) for line in running.crawl.output.read_text().splitlines()]
    for name in EDITS:
        fresh = [it for it in rows if it["site"] == f"{name}.localhost"][FIRST_ENTRIES:]
        assert len(fresh) == ALL_ENTRIES - FIRST_ENTRIES
        gold = gold_of(running, name)
        for row in fresh:
            assert row["xpath"] == " | ".join(pinned[name][0].wrapper.body)
            path = "/" + row["url"].partition("//")[2].partition("/")[2]
            assert words_f1(f"{row['title']}\n{row['text']}", gold[path]) > 0.95


def test_the_list_leads_to_a_page_with_its_body_in_colour(page: Any, running: Running) -> None:
    page.goto(running.address)
    assert page.get_by_role("row").count() == 1 + len(EDITS)
    page.get_by_role("searchbox", name="Search sites").fill("harb")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="harbour-gazette.localhost").click()
    page.get_by_role("heading", name="Pages as they were").wait_for()
    shown = page.frame_locator("iframe.page")
    assert shown.locator(".forest-body").count() == 1
    assert shown.locator("body").evaluate("() => self.origin") == "null"


def test_the_keyboard_alone_strips_undoes_and_leaves(page: Any, running: Running) -> None:
    page.goto(f"{running.address}/sites/stadtlicht.localhost/edit")
    page.locator('.editor[data-steps="0"]').wait_for()
    frame_of(page)
    before = page.locator("#rules").inner_text()
    tools = page.locator("[data-tool]")
    tools.first.focus()
    page.keyboard.press("ArrowRight")
    assert tools.nth(1).get_attribute("aria-checked") == "true"
    page.locator("#page").focus()
    page.keyboard.press("Tab")  # into the page
    for key in ("ArrowDown", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    page.keyboard.press("t")
    page.keyboard.press("Enter")
    page.locator('.editor[data-steps="1"]').wait_for()
    assert page.locator("#rules").inner_text() != before
    page.keyboard.press("z")
    page.locator('.editor[data-steps="0"]').wait_for()
    assert page.locator("#rules").inner_text() == before
    page.keyboard.press("Escape")
    page.wait_for_function("document.activeElement.dataset.tool == 'title'")


def test_wrong_xpath_is_refused_while_it_is_written(page: Any, running: Running) -> None:
    page.goto(f"{running.address}/sites/stadtlicht.localhost/edit")
    page.locator('.editor[data-steps="0"]').wait_for()  # else its first answer replaces the text
    page.get_by_text("Write XPaths by hand").click()
    page.get_by_label("Body, an XPath per line").fill("//div[position()=2]")
    page.locator("#problem", has_text="not a portable locator").wait_for()
    assert page.get_by_role("button", name="Pin this wrapper").is_disabled()
    page.get_by_label("Body, an XPath per line").fill("//main")
    page.locator("#problem").wait_for(state="hidden")
    page.once("dialog", lambda dialog: dialog.accept())  # unsaved changes
    page.goto("about:blank")


def test_second_tab_is_told_and_changes_nothing(page: Any, browser: Any, running: Running) -> None:
    second = browser.new_page()
    for tab in (page, second):
        tab.goto(f"{running.address}/sites/kettle-and-kiln.localhost/edit")
        tab.locator('.editor[data-steps="0"]').wait_for()
    page.get_by_role("button", name="Pin this wrapper").click()
    page.get_by_text("Pinned. The next pages").wait_for()
    second.get_by_role("button", name="Pin this wrapper").click()
    second.get_by_role("heading", name="Not saved").wait_for()
    assert "changed since you opened" in second.get_by_role("alert").inner_text()
    second.close()


def test_label_by_pointing_grows_the_test_package(page: Any, running: Running) -> None:
    page.goto(f"{running.address}/sites/harbour-gazette.localhost")
    page.get_by_role("link", name="Label this page").click()
    page.locator('.editor[data-steps="0"]').wait_for()
    page.locator("#gold p").first.wait_for()
    before = page.locator("#gold").inner_text()
    use_tool(page, "strip")
    frame_of(page).locator("h1").click()
    wait_for_steps(page, 1)
    title = frame_of(page).locator("h1").inner_text()
    assert title in before
    assert title not in page.locator("#gold").inner_text()
    page.get_by_role("button", name="Save as gold").click()
    page.get_by_role("heading", name="Evaluation").wait_for()
    (gold,) = running.labels.glob("*.txt")
    assert title not in gold.read_text()
    assert len(gold.read_text().split()) > 50


def test_search_finds_words_and_the_article_opens_in_all_forms(page: Any, running: Running) -> None:
    page.goto(running.address)
    page.get_by_role("searchbox", name="Search all articles").fill("vinegar chips")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Seafront gulls prefer vinegar").click()
    page.locator("article.reader").wait_for()
    for form, part in {"Text": "vinegar", "HTML": "<p>", "Markdown": "vinegar"}.items():
        page.get_by_role("link", name=form, exact=True).click()
        assert part in page.locator("pre.source").inner_text()


def test_articles_and_wrappers_are_downloaded(page: Any, running: Running) -> None:
    page.goto(f"{running.address}/exports")
    with page.expect_download() as found:
        page.get_by_role("button", name="CSV").click()
    rows = Path(found.value.path()).read_text().splitlines()
    assert rows[0].startswith("id,") or "url" in rows[0]
    with page.expect_download() as found:
        page.get_by_role("button", name="miniflux").click()
    assert "harbour-gazette.localhost" in Path(found.value.path()).read_text()


VIEWS = (
    *("/sites", "/sites/harbour-gazette.localhost", "/sites/harbour-gazette.localhost/edit"),
    "/sites/harbour-gazette.localhost/ranking",
    *("/sites/harbour-gazette.localhost/label", "/articles", "/articles?q=ferry", "/sources"),
    *("/evaluation", "/exports", "/exports/rules", "/sites/nowhere.example"),
)


def test_no_view_has_a_serious_accessibility_problem(browser: Any, running: Running) -> None:
    pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python")
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    with read_studio_store(running.crawl.store) as store:
        article = f"/articles/{store.newest_articles(limit=1)[0].id}"
    found = []
    for scheme, tags in {"light": AXE_TAGS, "dark": ["color-contrast"]}.items():
        options = {"runOnly": tags, "resultTypes": ["violations"], "iframes": False}
        # axe is a script of the test's, which the policy of the pages refuses.
        context = browser.new_context(bypass_csp=True, color_scheme=scheme)
        tab = context.new_page()
        for view in (*VIEWS, article):
            tab.goto(running.address + view)
            tab.evaluate(axe)
            for it in tab.evaluate("o => axe.run(document, o)", options)["violations"]:
                where = [node["html"][:120] for node in it["nodes"][:3]]
                found.append((scheme, view, it["impact"], it["id"], where))
        tab.set_content(AXE_CONTROL)
        tab.evaluate(axe)
        control = {
            it["id"] for it in tab.evaluate("o => axe.run(document, o)", options)["violations"]
        }
        assert control == ({"image-alt"} if scheme == "light" else set()) | {"color-contrast"}
        context.close()
    assert found == []


@pytest.mark.parametrize("width", [420, 1440])
def test_nothing_is_wider_than_the_window(browser: Any, running: Running, width: int) -> None:
    tab = browser.new_page(viewport={"width": width, "height": 900})
    for view in VIEWS:
        tab.goto(running.address + view)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, view
    tab.close()


@pytest.fixture
def odd_address(tmp_path: Path) -> Iterator[str]:
    """The studio over two pages: one in Arabic, one with a byte of Latin-1 in its URL."""
    texts = {
        "2026/rain": ("ميناء المدينة", "المطر يهطل على الميناء."),
        "caf%E9": ("Café", "It rains."),
    }
    html = "<html><title>{0}</title><ul><li>Home</ul><div class=story><h1>{0}</h1><p>{1}</p></div>"
    site, store_url = "gazette.example", f"sqlite:///{tmp_path}/store.db"
    with open_store(store_url) as store:
        store.begin_run()
        store.schedule(
            [replace(candidate(path), entry={"title": it[0]}) for path, it in texts.items()]
        )
        for lease in store.lease(10):
            path = lease.key.partition("/")[2]
            title, text = texts[path]
            store.hold([FetchedPage(lease.key, html.format(title, text).encode())])
            row = {"id": path[:4], "title": f"{title} {'x' * 80}", "html": f"<p>{text}</p>"}
            line = json.dumps(row | {"text": text, "url": lease.url, "site": site})
            made = NewArticle(path[:4], lease.key, site, lease.url, "wrapper", 1, "h", line)
            store.archive([made])
        store.end_run()
    with run_app(make_app(StudioOptions(store_url, labels=tmp_path / "labels"))) as address:
        yield address


def test_effects_name_pages_by_their_titles_whatever_their_url(page: Any, odd_address: str) -> None:
    page.goto(f"{odd_address}/sites/gazette.example/edit")
    page.locator("#effects details").first.wait_for()
    names = page.locator("#effects summary bdi").all_inner_texts()
    assert sorted(names) == ["Café", "ميناء المدينة"]


def test_arabic_reads_from_right_to_left_and_long_words_fit_a_phone(
    page: Any, odd_address: str
) -> None:
    page.set_viewport_size({"width": 420, "height": 900})
    page.goto(f"{odd_address}/articles")
    assert page.evaluate("document.documentElement.scrollWidth") == 420
    page.get_by_role("link", name="ميناء").click()
    for part in ("article.reader h1", "article.reader div"):
        style = "(it) => getComputedStyle(it).direction"
        assert page.locator(part).evaluate(style) == "rtl", part
    assert page.locator("article.reader .note").inner_text() == "at the source"
