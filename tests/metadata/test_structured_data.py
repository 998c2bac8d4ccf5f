"""JSON-LD is read as far as possible, and never raises."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_crawler.metadata.structured_data import MAX_NODES, MAX_SCRIPT, StructuredData

ARTICLE = {"@type": "NewsArticle", "headline": "Rain"}


def headline(*scripts: str) -> object:
    article = StructuredData(scripts).find_article([])
    return article and article["headline"]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param('{"@type": "NewsArticle", "headline": "Rain"}', id="plain"),
        pytest.param('[{"@type": "WebSite"}, {"@type": "Article", "headline": "Rain"}]', id="list"),
        pytest.param('{"@graph": [{"@type": "BlogPosting", "headline": "Rain"}]}', id="graph"),
        pytest.param(
            '{"@type": "WebPage", "mainEntity": {"@type": "Article", "headline": "Rain"}}',
            id="main entity",
        ),
        pytest.param('{"@type": ["Thing", "Article"], "headline": "Rain"}', id="several types"),
        pytest.param('{"@type": "http://schema.org/Article", "headline": "Rain"}', id="URL"),
        pytest.param('{"@type": "Article", "headline": "Rain",}', id="surplus comma"),
        pytest.param('<!-- {"@type": "Article", "headline": "Rain"} -->', id="HTML comment"),
        pytest.param('//<![CDATA[\n{"@type":"Article","headline":"Rain"}\n//]]>', id="CDATA"),
        pytest.param('{"@type": "Article", "headline": "Rain"};', id="semicolon"),
        pytest.param('{"@type":"Article","headline":"Rain","text":"a\nb"}', id="raw line break"),
    ],
)
def test_an_article_is_found_in(script: str) -> None:
    assert headline(script) == "Rain"


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("", id="nothing"),
        pytest.param("{", id="broken"),
        pytest.param("[" * 100_000, id="hostile nesting, never closed"),
        pytest.param('{"@graph":' * 50_000 + "1" + "}" * 50_000, id="hostile nesting"),
        pytest.param('{"n": ' + "9" * 100_000 + "}", id="a number of many digits"),
        pytest.param('{"@type": {"a": 1}, "@id": []}', id="invalid types"),
        pytest.param(json.dumps(ARTICLE) + " " * MAX_SCRIPT, id="too large"),
        pytest.param(
            '{"@type": "ItemList", "itemListElement": [{"@type": "Article", "headline": "Sun"}]}',
            id="articles of a list are other pages",
        ),
    ],
)
def test_a_script_without_an_article_does_not_stop_the_others(script: str) -> None:
    assert headline(script) is None
    assert headline(script, json.dumps(ARTICLE)) == "Rain"


def test_objects_beyond_the_bound_are_ignored() -> None:
    graph = [{"@type": "Thing"}] * MAX_NODES + [ARTICLE]
    assert headline(json.dumps({"@graph": graph})) is None


def test_of_several_articles_the_one_with_the_page_s_url_is_taken() -> None:
    other = {"@type": "Article", "headline": "Sun", "url": "http://g.example/sun"}
    own = {"@type": "Article", "headline": "Rain", "mainEntityOfPage": {"@id": "http://g.example/"}}
    data = StructuredData([json.dumps([other, own])])
    assert data.find_article([None, "http://g.example/"]) == own
    assert data.find_article(["http://g.example/fog"]) == other


@pytest.mark.parametrize(
    ("author", "names"),
    [
        pytest.param("Ann Lee", ["Ann Lee"], id="string"),
        pytest.param({"@type": "Person", "name": "Ann Lee"}, ["Ann Lee"], id="object"),
        pytest.param(["Ann Lee", {"name": "Bo Ek"}], ["Ann Lee", "Bo Ek"], id="list"),
        pytest.param({"name": ["Ann Lee", "Bo Ek"]}, ["Ann Lee", "Bo Ek"], id="list of names"),
        pytest.param({"@id": "#ann"}, ["Ann Lee"], id="reference into the graph"),
        pytest.param({"@id": "#nobody"}, [], id="reference to nothing"),
        pytest.param("Tom &amp; <b>Ann</b>", ["Tom & Ann"], id="markup"),
        pytest.param(7, [], id="number"),
        pytest.param(None, [], id="null"),
    ],
)
def test_names_are_read_from(author: object, names: list[str]) -> None:
    graph = {"@graph": [{"@id": "#ann", "@type": "Person", "name": "Ann Lee"}]}
    assert StructuredData([json.dumps(graph)]).texts(author) == names


def test_a_reference_to_itself_ends() -> None:
    data = StructuredData(['{"@id": "#a", "name": {"@id": "#a"}}'])
    assert data.texts({"@id": "#a"}) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["@graph", "@type", "@id", "name", "url", "mainEntity", "author"]),
            inner,
        )
    ),
)


@settings(max_examples=50)
@given(json_values)
def test_any_json_can_be_queried(value: object) -> None:
    data = StructuredData([json.dumps(value)])
    data.find_article(["x"])
    data.find_page()
    data.find_site()
    for node in data.nodes:
        for value in node.values():
            assert all(isinstance(text, str) for text in data.texts(value) + data.urls(value))
