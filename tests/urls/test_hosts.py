"""A site is the registrable domain of its hosts."""

from __future__ import annotations

import pytest

from forest_crawler.urls.hosts import site_of


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.gazette.co.uk/a", "gazette.co.uk"),
        ("https://a.b.gazette.com/", "gazette.com"),
        ("http://www.harbour-gazette.example/a", "harbour-gazette.example"),
        ("http://GAZETTE.com./", "gazette.com"),
        ("http://bücher.de/", "xn--bcher-kva.de"),
        ("http://127.9.0.1:8000/", "127.9.0.1"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://[::1]:80/", "::1"),
        ("http://localhost/", "localhost"),
        ("http://co.uk/", "co.uk"),
        ("mailto:a@gazette.com", None),
        ("http://[::1/", None),
    ],
)
def test_a_site_is_a_registrable_domain(url: str, site: str | None) -> None:
    assert site_of(url) == site


def test_each_blog_on_a_shared_host_is_a_site() -> None:
    # "github.io" is in the private part of the list of public suffixes.
    assert site_of("http://ann.github.io/") != site_of("http://bob.github.io/")
