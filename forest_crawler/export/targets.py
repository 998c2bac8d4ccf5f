"""The programs that exported rules are for, each with how it writes and shows a form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from forest_crawler.export.checked_page import CheckedPage
from forest_crawler.export.choice import Target
from forest_crawler.export.consumers.feediron import show_feediron
from forest_crawler.export.consumers.freshrss import show_freshrss
from forest_crawler.export.consumers.graby import show_graby
from forest_crawler.export.consumers.miniflux import show_miniflux
from forest_crawler.export.consumers.rss_bridge import show_rss_bridge
from forest_crawler.export.css_rules import (
    swap_quotes,
    write_list,
    write_outermost,
    write_simple_list,
)
from forest_crawler.export.forms import Form
from forest_crawler.export.portable_xpath import outermost_test, write_union
from forest_crawler.wrapper.locators import write_xpath
from forest_crawler.wrapper.wrapper import Wrapper


class CssRules(NamedTuple):
    """A selector of what is taken, and one of what is removed from it, perhaps empty."""

    body: str
    strip: str


def _write_miniflux(form: Form) -> Iterator[CssRules]:
    # The rule's argument is a string of Go, in which a backslash stands for an escape.
    strip = swap_quotes(write_list(form.strip)).replace("\\", "\\\\")
    removed = f'remove("{strip}")' if strip else ""
    yield CssRules(write_list(form.body), removed)
    if len(form.body) > 1:
        yield CssRules(write_outermost(form.body), removed)


def _write_simple(form: Form) -> Iterator[CssRules]:
    body, strip = write_simple_list(form.body), write_simple_list(form.strip)
    if body is not None and strip is not None:
        yield CssRules(body, strip)


def _write_feediron(form: Form) -> Iterator[dict[str, Any]]:
    paths = [write_xpath(it) for it in form.body]
    strips = [write_xpath(it) for it in form.strip]
    # An element that cleanup removes is shown all the same, so the path must leave it out.
    tests = {"": "", outermost_test(paths): "", outermost_test(paths, strips): ""}
    for test in tests if len(paths) > 1 or strips else [""]:
        path = " | ".join(f"{it}{test}" for it in paths).removeprefix("//")
        yield {
            "type": "all_xpath",
            "xpath": [{"xpath": path, "index": "all"}],
            "join_element": "\n",
            "cleanup": [it.removeprefix("//") for it in strips],
            "tidy-source": False,
        }


def site_config_target(templates: Sequence[Wrapper], fields: Sequence[str]) -> Target[str]:
    """Return graby as a target; `fields` are the lines by which it takes out title and date."""

    def write(form: Form) -> Iterator[str]:
        strips = [f"strip: {write_xpath(it)}" for it in form.strip]
        for bodies in _body_lines(form, templates):
            yield "\n".join([*bodies, *fields, *strips])

    return Target("fivefilters", write, show_site_config, takes_all=True)


def _body_lines(form: Form, templates: Sequence[Wrapper]) -> Iterator[list[str]]:
    """Yield a line per template, of which the first that matches wins; then one for all."""
    written = [write_xpath(it) for it in form.body]
    own = [[it for it in template.body if it in written] for template in templates]
    if set(chain.from_iterable(own)) == set(written):
        yield list(dict.fromkeys(f"body: {write_union(it)}" for it in own if it))
    yield [f"body: {write_union(written)}"]


def _show_miniflux(page: CheckedPage, rules: CssRules) -> str:
    return show_miniflux(page.html5(), rules.body, rules.strip)


def _show_freshrss(page: CheckedPage, rules: CssRules) -> str:
    return show_freshrss(page.libxml2(), rules.body, rules.strip)


def _show_rss_bridge(page: CheckedPage, rules: CssRules) -> str:
    return show_rss_bridge(page.libxml2(), rules.body, rules.strip)


def _show_feediron(page: CheckedPage, rules: dict[str, Any]) -> str:
    return show_feediron(page.libxml2(), rules)


def show_site_config(page: CheckedPage, config: str) -> str:
    """Return what graby shows of a page by a site config."""
    return show_graby(page.graby(), config)


MINIFLUX = Target("miniflux", _write_miniflux, _show_miniflux, is_relative=True)
FRESHRSS = Target("freshrss", _write_simple, _show_freshrss, is_relative=True)
FEEDIRON = Target("feediron", _write_feediron, _show_feediron)
RSS_BRIDGE = Target("rss-bridge", _write_simple, _show_rss_bridge, is_relative=True, takes_one=True)
