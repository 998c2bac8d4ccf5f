"""Errors survive the way back from a worker process."""

from __future__ import annotations

import pickle

import pytest

from forest_crawler.errors import (
    EmptyPageError,
    FeedError,
    ForestError,
    InputError,
    MethodError,
    MissingPackageError,
    OptionError,
    PageError,
    PluginError,
    SampleError,
    SitemapError,
    UnknownNameError,
    WrapperError,
    WrapperlessMethodError,
)

ERRORS = [
    (PageError("broken", "a.html"), "a.html: broken"),
    (EmptyPageError("no element"), "no element"),
    (SampleError("1 page given", "gazette.example"), "gazette.example: 1 page given"),
    (WrapperError("not JSON"), "not JSON"),
    (InputError("no such file", "list.txt"), "list.txt: no such file"),
    (UnknownNameError("method", "x", ["b", "a"]), "unknown method 'x'; known: a, b"),
    (
        WrapperlessMethodError("site method", "x", ["b", "a"]),
        (
            "site method 'x' induces no wrapper; measure it with forest evaluate --method x, "
            "or choose one of a, b"
        ),
    ),
    (
        MethodError("cannot explain", "bte", ["wlr", "r4"]),
        "method bte cannot explain; these can: r4, wlr",
    ),
    (OptionError("no option 'd'", "r4", ["c"]), "method r4: no option 'd'; options: c"),
    (FeedError("empty", "http://a.example/"), "http://a.example/: empty"),
    (SitemapError("too deep"), "too deep"),
    (
        MissingPackageError("peer", "goose3", extra="bench"),
        "peer needs the package goose3; install it with pip install 'forest-crawler[bench]'",
    ),
    (
        PluginError("cannot be imported", "deep", "deep-extractor"),
        "method 'deep' of the installed package deep-extractor: cannot be imported",
    ),
]


@pytest.mark.parametrize(("error", "text"), ERRORS, ids=lambda value: type(value).__name__)
def test_an_error_is_the_same_after_pickling(error: ForestError, text: str) -> None:
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301  our own
    assert type(copy) is type(error)
    assert str(error) == str(copy) == text
    assert vars(copy) == vars(error)
