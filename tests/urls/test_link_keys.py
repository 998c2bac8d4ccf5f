"""Links of one document that differ are different articles, whatever their parameters' names."""

from __future__ import annotations

import pytest

from forest_crawler.urls.link_keys import LinkKey, key_links, key_redirect

HEX = "0123456789abcdef0123456789abcde"


@pytest.mark.parametrize(
    "query",
    ["sid={}", f"sid={HEX}{{:x}}", f"PHPSESSID={HEX}{{:x}}", "cmp=firm{}", "ncid={}", "cfid={}"],
)
def test_links_that_differ_in_a_parameter_only_keep_it(query: str) -> None:
    links = [f"http://g.example/article.pl?{query.format(number)}" for number in range(12)]
    keyed = key_links([*links])
    assert [it.url for it in keyed if it] == links
    assert [it.key for it in keyed if it] == [link.removeprefix("http://") for link in links]


@pytest.mark.parametrize("values", [("0", "1"), ("1", "true"), ("", "0", "1")])
def test_marks_of_variants_that_tell_links_apart_are_kept(values: tuple[str, ...]) -> None:
    keyed = key_links([f"http://g.example/view?m={value}" for value in values])
    assert [it.key for it in keyed if it] == [f"g.example/view?m={value}" for value in values]


def test_parameters_that_no_link_needs_are_dropped() -> None:
    links = ["http://g.example/a?m=1&utm_source=rss", "http://g.example/b?m=1&cmp=rss", None, "x:y"]
    assert key_links(links) == [
        LinkKey("http://g.example/a?m=1", "g.example/a"),
        LinkKey("http://g.example/b?m=1", "g.example/b"),
        None,
        None,
    ]


def test_tracking_does_not_tell_links_apart() -> None:
    links = [f"http://g.example/a?utm_content={number}" for number in range(3)]
    assert key_links([*links]) == [LinkKey("http://g.example/a", "g.example/a")] * 3


@pytest.mark.parametrize(
    ("requested", "found"),
    [("g.example/view?m=0", "g.example/view?m=0&ok=1"), ("g.example/view", "g.example/view?ok=1")],
    ids=["kept", "dropped"],
)
def test_page_that_a_link_redirects_to_has_a_key_by_the_same_rule(
    requested: str, found: str
) -> None:
    assert key_redirect("http://g.example/view?m=0&ok=1", requested) == found


def test_page_without_a_lease_has_its_usual_key() -> None:
    assert key_redirect("http://g.example/view?m=0", None) == "g.example/view"
