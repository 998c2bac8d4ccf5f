"""All URLs of an article become one; any text gets a verdict, never an exception."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.urls.canonical import canonical_url, unwrap_url, url_key
from forest_crawler.urls.hosts import host_of, site_of
from forest_crawler.urls.policy import refuse_url
from tests.support.growth import assert_linear


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://Gazette.Example:80", "http://gazette.example/"),
        ("https://gazette.example:443/A", "https://gazette.example/A"),
        ("https://gazette.example:8443/", "https://gazette.example:8443/"),
        ("http://gazette.example/a#comments", "http://gazette.example/a"),
        (
            "http://gazette.example/?p=7&utm_source=rss&utm_medium=feed",
            "http://gazette.example/?p=7",
        ),
        ("http://gazette.example/a?fbclid=x", "http://gazette.example/a"),
        ("http://gazette.example/a?UTM_Campaign=x&gclid=y&b", "http://gazette.example/a?b"),
        ("http://gazette.example/a?source=rss", "http://gazette.example/a"),
        ("http://gazette.example/a?source=archive", "http://gazette.example/a?source=archive"),
        ("http://gazette.example/a?ocid=rss-7", "http://gazette.example/a"),
        ("http://gazette.example/a?ncid=7", "http://gazette.example/a?ncid=7"),
        ("http://gazette.example/a?pk_id=7", "http://gazette.example/a?pk_id=7"),
        ("http://gazette.example/a?PHPSESSID=1a2b", "http://gazette.example/a?PHPSESSID=1a2b"),
        (
            "http://gazette.example/a;jsessionid=1A2B?b=1",
            "http://gazette.example/a;jsessionid=1A2B?b=1",
        ),
        ("http://gazette.example/article.pl?sid=0", "http://gazette.example/article.pl?sid=0"),
        ("http://gazette.example/view?m=0", "http://gazette.example/view?m=0"),
        ("http://gazette.example/?a=1&a=1&a=2", "http://gazette.example/?a=1&a=2"),
        ("http://gazette.example/a?q=b+c%2bd", "http://gazette.example/a?q=b+c%2Bd"),
        ("http://gazette.example/a/../b/./c/..", "http://gazette.example/b/"),
        ("http://gazette.example/../../a", "http://gazette.example/a"),
        ("http://gazette.example/http://x/./y", "http://gazette.example/http://x/y"),
        ("http://gazette.example/%7Eann/b c/é", "http://gazette.example/~ann/b%20c/%C3%A9"),
        ("http://gazette.example/%e9", "http://gazette.example/%E9"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("http://gazette.example/a/amp", "http://gazette.example/a/amp"),
        (
            "https://search.example/url?q=x&url=http%3A%2F%2Fgazette.example%2Fa%3Futm_id%3D1",
            "http://gazette.example/a",
        ),
        ("ftp://gazette.example/", None),
        ("http://", None),
        ("http://[", None),
        ("http://gazette.example:x/", None),
    ],
)
def test_the_canonical_url_leaves_out_what_the_link_adds(url: str, canonical: str | None) -> None:
    assert canonical_url(url) == canonical


@pytest.mark.parametrize(
    ("declared", "canonical"),
    [
        ("https://gazette.example/a", "https://gazette.example/a"),
        ("/a?utm_source=x", "http://m.gazette.example/a"),
        ("http://www.gazette.example/2026/a.html", "http://www.gazette.example/2026/a.html"),
        ("http://gazette.example/", "http://m.gazette.example/a/amp"),
        ("http://other.example/a", "http://m.gazette.example/a/amp"),
        ("javascript:alert(1)", "http://m.gazette.example/a/amp"),
        ("http://[", "http://m.gazette.example/a/amp"),
        ("", "http://m.gazette.example/a/amp"),
    ],
    ids="variant relative sub-domain home-page other-site script broken empty".split(),
)
def test_a_declared_canonical_url_counts_if_it_is_plausible(declared: str, canonical: str) -> None:
    assert canonical_url("http://m.gazette.example/a/amp", declared=declared) == canonical


VARIANTS = [
    "http://gazette.example/2026/rain-again",
    "https://www.gazette.example/2026/rain-again/",
    "https://m.gazette.example/2026/rain-again",
    "https://mobile.gazette.example/2026/rain-again?m=1",
    "https://amp.gazette.example/2026/rain-again",
    "https://gazette.example/amp/2026/rain-again",
    "https://gazette.example/2026/rain-again/amp/",
    "https://gazette.example/2026/rain-again.amp",
    "https://gazette.example/2026/rain-again?amp",
    "https://gazette.example/2026/rain-again?amp=1&utm_source=rss",
    "https://gazette.example/2026/rain-again?outputType=amp",
    "https://gazette.example/2026/rain-again/index.html",
    "https://gazette.example/2026/rain-again;jsessionid=1A2B",
    "https://gazette.example/2026/rain-again?PHPSESSID=1a2b",
    "https://gazette.example/2026/rain-again?sid=0123456789abcdef0123456789abcdef",
    "https://gazette-example.cdn.example/c/s/gazette.example/2026/rain-again?amp=1",
    "https://wrapper.example/redirect?url=https%3A%2F%2Fgazette.example%2F2026%2Frain-again",
]


@pytest.mark.parametrize("url", VARIANTS)
def test_all_variants_of_an_article_have_one_key(url: str) -> None:
    assert url_key(url) == "gazette.example/2026/rain-again"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://gazette.example/guitar/amp", "http://gazette.example/guitar"),
        ("http://gazette.example/?p=1", "http://gazette.example/?p=2"),
        ("http://gazette.example/a?format=long", "http://gazette.example/a"),
        ("http://gazette.example:8080/a", "http://gazette.example/a"),
        ("http://ann.gazette.example/a", "http://bob.gazette.example/a"),
        ("http://m.com/a", "http://com/a"),
        ("http://gazette.example/a/", "http://gazette.example/A/"),
        ("http://gazette.example/article.pl?sid=0", "http://gazette.example/article.pl?sid=11"),
        ("http://gazette.example/a?sid=26/11/18/0312", "http://gazette.example/a?sid=26/11/18/04"),
        ("http://gazette.example/talk?session_id=7", "http://gazette.example/talk?session_id=8"),
    ],
)
def test_different_articles_have_different_keys(one: str, other: str) -> None:
    assert url_key(one) != url_key(other)


def test_the_order_of_parameters_does_not_change_the_key() -> None:
    assert url_key("http://g.example/?a=1&b=2") == url_key("http://g.example/?b=2&a=1")


@pytest.mark.parametrize(
    "url",
    [
        "http://gazette.example/share?url=http://other.example/",  # about the URL, not a redirect
        "http://gazette.example/url?url=javascript:alert(1)",
        "http://gazette.example/a/s/other.example/",  # its host does not encode the other
    ],
)
def test_a_url_that_only_mentions_another_is_not_unwrapped(url: str) -> None:
    assert unwrap_url(url) == url


def test_nested_redirects_are_unwrapped() -> None:
    url = "http://w.example/url?url=http://w.example/url?url=http://w.example/url?url=http://a.example/"
    assert unwrap_url(url) == "http://a.example/"


URLS = st.text() | st.builds(
    "{}://{}{}".format,
    st.sampled_from(["http", "https", "HTTP", "file", ""]),
    st.text(max_size=30),
    st.text(alphabet="/?&=#%.;:@[]\\ax1é\ud800", max_size=60),
)


@given(URLS)
def test_any_text_gets_a_verdict_and_never_an_exception(url: str) -> None:
    if refuse_url(url) is None:
        assert host_of(url)
        assert canonical_url(url)
        assert url_key(url)
    assert (site_of(url) is None) == (host_of(url) is None)


@given(URLS)
def test_a_canonical_url_is_its_own_canonical_url(url: str) -> None:
    canonical = canonical_url(url)
    if canonical is not None and unwrap_url(canonical) == canonical:
        assert canonical_url(canonical) == canonical
        assert url_key(canonical) == url_key(url)


@pytest.mark.parametrize("piece", ["/a", "%41", "a=1&", "..%2f", "/.", "amp/", "。", "0x1.", "-"])
def test_long_urls_take_linear_time(piece: str) -> None:
    def judge(pieces: int) -> None:
        url = "http://gazette.example/" + piece * pieces
        refuse_url(url), canonical_url(url), url_key(url), host_of("http://" + piece * pieces)

    assert_linear(lambda pieces: lambda: judge(pieces), 20_000)
