"""The benchmark's labels of images, on a page by hand."""

from __future__ import annotations

from benchmarks.images import Score, label_images, score_pages
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.page.tree import parse_page

URL = "http://gazette.example/ferry"
GOLD = "The ferry came back to the pier.\nIt sails again on Monday.\nFares went up."
PAGE = (
    "<meta property=og:image content=/harbour-1200x800.jpg>"
    "<nav><img src=/logo.png> Home news sport</nav><img src=/harbour-300x200.jpg><p>By Ann Lee"
    "<main><p>The ferry came back to the pier.</p><figure><img src=/a.jpg srcset='/a2.jpg 2x'>"
    "<figcaption>Old caption</figcaption></figure><p>It sails again on Monday.</p>"
    "<p>Fares <img src=/i.png width=20 height=20> went up. <img data-src=/b.jpg></p></main>"
    "<aside>More news here <img src=/c.jpg> to read <img src=/d.jpg> tomorrow</aside>"
    + "<p>Star <img src=/star.svg> now</p>"
    * 3
)


def test_images_are_inside_by_the_gold_around_them() -> None:
    images = list(label_images(parse_page(PAGE, url=URL), GOLD))
    host = "gazette.example"
    assert [it.urls for it in images if it.is_inside] == [
        {f"{host}/a.jpg", f"{host}/a2.jpg"},
        {f"{host}/b.jpg"},
    ]
    assert [it.urls for it in images if not it.is_inside] == [
        {f"{host}/logo.png"},
        {f"{host}/c.jpg"},
        {f"{host}/d.jpg"},
    ]


def test_a_method_is_scored_by_what_it_keeps_and_lets_in() -> None:
    score = Score("by hand")
    images = list(label_images(parse_page(PAGE, url=URL), GOLD))
    score.add(images, frozenset({"gazette.example/a2.jpg", "gazette.example/c.jpg"}))
    assert score.row() == "| by hand | 1 of 2: 50.0 % | 1 of 3: 33.3 % |"


def test_all_methods_see_the_same_images() -> None:
    page = LabelledPage("a", "gazette", URL, PAGE, GOLD)
    (score,) = score_pages([(page, ())], ["forest-crawler"])
    assert (score.inside, score.foreign) == (2, 3)
