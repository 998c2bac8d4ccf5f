"""Sibling pages number the kinds and paths of their elements once."""

from __future__ import annotations

from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.site_names import CLASS_PREFIX, Kind, SiteNames


def name_pages(*bodies: str) -> list[PageNames]:
    """Name pages of one site."""
    site = SiteNames()
    return [PageNames(parse_page(f"<body>{body}</body>").outline, site) for body in bodies]


def test_elements_with_the_same_path_share_its_number_on_all_pages() -> None:
    first, second = name_pages(
        "<div class=story><p>a<p>b</div><p>c", "<p>d<div class=story><p>e</div>"
    )
    assert first.paths == [0, 1, 2, 2, 3]  # body, div, p in it twice, p beside it
    assert second.paths == [0, 3, 1, 2]


def test_links_and_dates_are_no_part_of_a_kind() -> None:
    (page,) = name_pages("<a class=x href=/1 title=One>a</a><a class=x href=/2 onclick=go()>b</a>")
    assert page.paths == [0, 1, 1]
    assert page.tests == [(), (("class", "x"),), (("class", "x"),)]


def test_find_pages_has_a_bit_per_page() -> None:
    pages = name_pages("<p id=a>a", "<p id=b>b", "<p id=a>c<ul><li>d</ul>")
    site = pages[0].site
    bits = dict(zip(site.names, site.find_pages(page.kinds for page in pages), strict=True))
    assert bits["p", None] == 0b111
    assert bits["p", ("id", "a")] == 0b101
    assert bits["p", ("id", "b")] == 0b010
    assert bits["li", None] == 0b100


def test_kinds_that_come_after_a_search_are_found_by_the_next_one() -> None:
    def is_list(kind: Kind) -> bool:
        return kind.tag in ("ul", "ol")

    site = SiteNames()
    first = PageNames(parse_page("<p>a<ul><li>b</ul>").outline, site)
    assert first.of_kind(is_list) == [2]
    second = PageNames(parse_page("<ol><li>c</ol><ul><li>d</ul>").outline, site)
    assert second.of_kind(is_list) == [1, 3]


def test_names_of_another_site_are_numbered_again_for_this_one() -> None:
    (page,) = name_pages("<p class=x>a")
    (other,) = name_pages("<ul><li>b</ul><p class=x>c")
    assert page.on_site(page.site) is page
    assert other.on_site(page.site).paths == [0, 2, 3, 1]


def test_starts_of_built_names_are_tests_unless_they_are_longer_than_a_name() -> None:
    short, long = "Body_root__", f"{'Body' * 15}_root__"  # 11 and 67 characters
    (page,) = name_pages(f"<p class={short}x7Kd2>a<p class={long}x7Kd2>b")
    assert page.tests == [
        (),
        (("class", f"{short}x7Kd2"), (CLASS_PREFIX, short)),
        (("class", f"{long}x7Kd2"),),
    ]
