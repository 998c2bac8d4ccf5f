"""Makes `page-and-article.png`: a bundled page with what its wrapper selects, beside the article.

    python docs/images/page_and_article.py

The wrapper is induced from the site's other pages. Chromium itself applies the wrapper's CSS form:
selected text is green, stripped and other text is grey. Needs the program `chromium`.
"""

from __future__ import annotations

import html
import subprocess
import tempfile
from pathlib import Path

from forest_crawler import ArticleSource, extract, induce, make_article, parse_page
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.export.rules import css_list

SITE, PAGE = "harbour-gazette", "wind-farm-jobs"
OUTPUT = Path(__file__).with_name("page-and-article.png")
WIDTH, HEIGHT = 1080, 700

SHEET = """
body { margin: 0; font: 14px/1.4 sans-serif; color: #1b2b2b; background: #fff }
main { display: grid; grid-template-columns: 1fr 1fr; height: 100vh }
section { padding: 14px 24px; overflow: hidden; border-right: 1px solid #ccd6d4 }
section figure img { display: none }
section > b { color: #00796b; font-size: 17px }
iframe { border: 0; width: 100%; height: 1200px; margin-top: 10px }
h1 { font-size: 23px; line-height: 1.2 } h2 { font-size: 17px }
dl { display: grid; grid-template-columns: 7em 1fr; font-size: 13px; margin: 10px 0 }
dt { color: #5d6f6c } dd { margin: 0; overflow-wrap: anywhere }
"""

PAGE_SHEET = """
html {{ background: #efefef }}
body, body * {{ color: #9a9a9a; font: 12px/1.35 sans-serif }}
h1 {{ font-size: 20px }} h2, h3 {{ font-size: 15px }}
ul, ol, p, h1, h2, h3, figure {{ margin-block: 5px }} header li {{ display: inline; margin: 0 6px }}
.consent, .skip, form, img {{ display: none }}
{body} {{ background: #d8f0e2 }} {inside} {{ color: #10382a }}
{strip} {{ background: #efefef }}
{strip_inside} {{ color: #9a9a9a !important; text-decoration: line-through }}
"""


def main() -> None:
    """Write the picture."""
    directory = next(path for path in bundled_sites() if path.name == SITE)
    pages = {page.id: page for page in read_pages(directory)}
    page = pages.pop(PAGE)
    sample = [parse_page(other.source, url=other.url) for other in pages.values()]
    wrapper = induce(sample, site=SITE)[0]
    tree = parse_page(page.source, url=page.url)
    article = make_article(tree, extract(tree, [wrapper]), ArticleSource(url=page.url, site=SITE))
    source = (directory / f"{PAGE}.html").read_text()
    body, strip = css_list(wrapper.body, SITE), css_list(wrapper.strip, SITE)
    fields = {
        "title": article.title,
        "authors": ", ".join(article.authors),
        "published": article.date_publish,
        "body rule": body,
        "strip rules": strip,
        "induced from": f"{wrapper.support} other pages of the site, without labels",
    }
    rows = "".join(f"<dt>{name}<dd>{html.escape(str(text))}" for name, text in fields.items())
    left = f"<iframe srcdoc='{html.escape(mark_page(source, body, strip))}'></iframe>"
    take_picture(
        f"<!doctype html><meta charset=utf-8><style>{SHEET}</style><main>"
        f"<section><b>A page it has not seen, and what the wrapper selects</b>{left}</section>"
        f"<section><b>The article</b><dl>{rows}</dl>{article.html}</section></main>"
    )


def mark_page(source: str, body: str, strip: str) -> str:
    """Add a style sheet that colours what the CSS rules select."""
    sheet = PAGE_SHEET.format(
        body=body,
        inside=_descendants(body),
        strip=strip,
        strip_inside=f"{strip}, {_descendants(strip)}",
    )
    return source.replace("</head>", f"<style>{sheet}</style></head>")


def _descendants(selectors: str) -> str:
    return ", ".join(f"{selector} *" for selector in selectors.split(", "))


def take_picture(document: str) -> None:
    """Render a document with Chromium, without a network."""
    with tempfile.TemporaryDirectory() as directory:
        page = Path(directory, "page.html")
        page.write_text(document, encoding="utf-8")
        options = "--headless --no-sandbox --disable-gpu --no-first-run --hide-scrollbars"
        options += " --disable-background-networking --disable-component-update --disable-sync"
        subprocess.run(  # noqa: S603
            [  # noqa: S607
                "chromium",
                *options.split(),
                f"--user-data-dir={directory}/profile",
                f"--window-size={WIDTH},{HEIGHT}",
                f"--screenshot={OUTPUT}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
        )


if __name__ == "__main__":
    main()
