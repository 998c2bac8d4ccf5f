"""Write the demo's page: one HTML file that loads nothing.

Pages and articles are documents of `overlay`, each in a sandboxed frame. The file's own policy
allows styles and pictures inside it, nothing else; the frames inherit it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Final

from lxml import etree

from forest_crawler.evaluation.report.markup import element, slug
from forest_crawler.page.xpath import Element
from forest_crawler.studio.demo.records import DemoSite, RankedRow, ShownPage, ShownText

FILE_NAME: Final = "index.html"
MAX_RANKED: Final = 8
"""Rows of a ranking that are shown; the candidate that was taken is always among them."""

LEGEND: Final = {
    "body": "body of the article",
    "strip": "stripped inside it",
    "title": "title",
    "author": "author",
    "date": "date",
    "signifier": "signifiers: the page's keywords",
}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"
_RANKING_NOTE = (
    "Over all pages of the site; a crawl takes a sample of ten. R = Σ J · U over the pages, times "
    "the number of pages and the level. The best by R are compared by expected F1; ★ is taken."
)


def format_demo(sites: Sequence[DemoSite]) -> str:
    """Write the page as HTML."""
    style = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    policy = element("meta", content=_POLICY)
    policy.set("http-equiv", "Content-Security-Policy")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        policy,
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", "forest-crawler: pages and their articles"),
        element("style", style),
    )
    main = element("main", _overview(sites), *map(_site_section, sites))
    html = element("html", head, element("body", _header(sites), main), lang="en")
    return etree.tostring(html, method="html", encoding="unicode", doctype="<!DOCTYPE html>") + "\n"


def _header(sites: Sequence[DemoSite]) -> Element:
    articles = sum(site.articles for site in sites)
    marks = (
        element("li", element("span", class_=f"swatch {name}"), text)
        for name, text in LEGEND.items()
    )
    return element(
        "header",
        element("h1", "Pages and their articles"),
        element(
            "p",
            f"{len(sites)} sites were crawled and {articles} articles archived. Nobody labelled "
            "anything: the rules of each site come from looking at its pages together. F1 compares "
            "an article with text that people marked by hand.",
        ),
        element("ul", *marks, class_="legend", aria_label="Colours"),
    )


def _overview(sites: Sequence[DemoSite]) -> Element:
    heads = (element("th", name, scope="col") for name in ("site", "articles", "F1", "body"))
    rows = (
        element(
            "tr",
            element("th", element("a", site.name, href=f"#{slug(site.name)}"), scope="row"),
            element("td", str(site.articles)),
            element("td", _score(site.f1)),
            element("td", element("code", site.body), class_="rule"),
        )
        for site in sites
    )
    return _table(element("tr", *heads), rows)


def _site_section(site: DemoSite) -> Element:
    section = element("section", element("h2", site.name), id=slug(site.name))
    section.append(_facts(site))
    if site.page:
        section.append(_panes(site.page))
    if site.ranking:
        section.append(_ranking(site.ranking))
    return section


def _facts(site: DemoSite) -> Element:
    facts: dict[str, Element | str] = {"body": element("code", site.body)}
    if site.strip:
        facts["strip"] = element("code", site.strip)
    facts["articles"] = f"{site.articles}, mean F1 {_score(site.f1) or 'unknown'}"
    if site.fallback:
        facts["no wrapper fits"] = site.fallback
    if site.page:
        facts["signifiers"] = element("span", *_signifiers(site.page), class_="terms")
    pairs = (element("div", element("dt", name), element("dd", it)) for name, it in facts.items())
    return element("dl", *pairs)


def _signifiers(page: ShownPage) -> Iterator[Element]:
    for term, weight in page.signifiers.items():
        yield element("mark", term, element("small", f" {weight:.2f}"))


def _panes(page: ShownPage) -> Element:
    panes = [_pane("The page as it was", page.name, page.document)]
    panes += [_pane(text.name, _describe(text), text.document) for text in page.articles]
    return element("div", *panes, class_=f"panes panes{len(panes)}")


def _describe(text: ShownText) -> str:
    return "" if text.f1 is None else f"F1 {_score(text.f1)}"


def _pane(title: str, note: str, document: str) -> Element:
    # Lazy: a browser reads thirty documents otherwise before it shows the first.
    frame = element("iframe", title=title, sandbox="", srcdoc=document, loading="lazy")
    heading = element("figcaption", element("b", title), " ", element("small", note))
    return element("figure", heading, element("div", frame, class_="frame"))


def _ranking(rows: Sequence[RankedRow]) -> Element:
    shown = [row for number, row in enumerate(rows) if number < MAX_RANKED or row.is_taken]
    names = ("", "candidate for the body", "pages", "level", "J", "U", "R")
    heads = element("tr", *(element("th", name, scope="col") for name in names))
    body = (
        element(
            "tr",
            element("td", "★" if row.is_taken else ""),
            element("td", element("code", row.pattern), class_="rule"),
            *(element("td", text) for text in _figures(row)),
            class_="taken" if row.is_taken else None,
        )
        for row in shown
    )
    count = f"{len(shown)} of {len(rows)} candidates"
    summary = element("summary", f"Why this body: J, U and R of {count}")
    note = element("p", _RANKING_NOTE, class_="note")
    return element("details", summary, _table(heads, body), note)


def _figures(row: RankedRow) -> tuple[str, ...]:
    numbers = (f"{row.level:.3g}", f"{row.j:.3f}", f"{row.u:.1f}", f"{row.relevance:.1f}")
    return (str(row.pages), *numbers)


def _table(head: Element, rows: Iterator[Element]) -> Element:
    table = element("table", element("thead", head), element("tbody", *rows))
    return element("div", table, class_="scroll", tabindex=0, role="group", aria_label="Table")


def _score(f1: float | None) -> str:
    return "" if f1 is None else f"{f1:.3f}"
