"""Names that builds make are recognised, and their stable part is found."""

from __future__ import annotations

import pytest

from forest_crawler.wrapper.built_names import is_built, stable_prefix


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        pytest.param("ArticleBody_root__x7Kd2", "ArticleBody_root__", id="css-module"),
        pytest.param("article-body_root__x7Kd2", "article-body_root__", id="css-module-hyphen"),
        pytest.param("Figure_text__WkOMY", "Figure_text__", id="css-module-letters-only"),
        pytest.param("AudioPlayer_root__Eanty", "AudioPlayer_root__", id="hash-like-a-word"),
        pytest.param("Byline_by__Vm_g-", "Byline_by__", id="base64-marks-in-the-hash"),
        pytest.param("Byline_by___m7gz", "Byline_by__", id="hash-that-starts-with-a-mark"),
        pytest.param("Story_block__lead__x7Kd2", "Story_block__lead__", id="local-name-of-bem"),
        pytest.param("Story_body__kQzRtBwx", "Story_body__", id="longer-hash"),
        pytest.param("Edition_item_2HXS3", "Edition_item_", id="one-underscore"),
        pytest.param("layout-module--main--3xkF2", "layout-module--main--", id="gatsby"),
        pytest.param("_article_1b3sf_12", "_article_", id="vite"),
        pytest.param("styled__Body-sc-1x2y3z-0", "styled__Body-sc-", id="styled-components"),
    ],
)
def test_the_prefix_is_what_is_before_the_hash(name: str, prefix: str) -> None:
    assert is_built(name)
    assert stable_prefix(name) == prefix


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("css-1a2b3c", id="emotion"),
        pytest.param("sc-1x2y3z-0", id="styled-components"),
        pytest.param("jsx-92387b", id="styled-jsx"),
        pytest.param("svelte-1a2b3c", id="svelte"),
        pytest.param("emotion-1a2b3c", id="tool-of-seven-letters"),
        pytest.param("_3xMObxY5", id="hash-alone"),
        pytest.param("css-k9f3xz", id="emotion-letters-first"),
        pytest.param("svelte-1hyfx7x", id="svelte-base36"),
        pytest.param("nav_a__x7Kd2", id="words-too-short"),
        pytest.param("läuft_root_2HXS3", id="letters-that-tools-escape"),
    ],
)
def test_a_built_name_without_a_word_has_no_prefix(name: str) -> None:
    assert is_built(name)
    assert stable_prefix(name) is None


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("story", id="word"),
        pytest.param("", id="nothing"),
        pytest.param("post-4711", id="counter"),
        pytest.param("article__body", id="bem"),
        pytest.param("card_wide__title", id="bem-with-modifier"),
        pytest.param("card_wide__bodyText", id="bem-camel-case"),
        pytest.param("card_wide__col12", id="bem-number"),
        pytest.param("card_wide__item-2", id="bem-counter"),
        pytest.param("has-x-large-font-size", id="utility"),
        pytest.param("Article_body__Title", id="five-letters-in-title-case"),
        pytest.param("Article_body__Headline", id="a-longer-word-in-title-case"),
        pytest.param("Article_body__bodyText2", id="camel-case-with-a-number"),
        pytest.param("story-mp3player", id="a-format-and-a-word"),
        pytest.param("html5video", id="two-words-and-a-number"),
        pytest.param("web2print-box", id="a-number-for-a-word"),
        pytest.param("min-h-[250px]", id="tailwind-arbitrary-length"),
        pytest.param("w-[calc(100%-2rem)]", id="tailwind-arbitrary-expression"),
        pytest.param("md:grid-cols-3", id="tailwind-variant"),
        pytest.param("col12-offset4", id="grid"),
    ],
)
def test_a_name_by_hand_is_not_built(name: str) -> None:
    assert not is_built(name)
    assert stable_prefix(name) is None


def test_a_hostile_name_takes_linear_time() -> None:
    assert stable_prefix("a_" + "_-" * 200_000) is None
    assert stable_prefix("a_b" + "__a" * 200_000 + "!") is None
    assert is_built("k7" + "o" * 180 + "ttttt")
