"""Check that markup runs nothing, read by two parsers that aren't ours."""

from __future__ import annotations

from html.parser import HTMLParser

from lxml import etree

from forest_crawler.article.content.html import SANDBOX, TAGS

_ATTRIBUTES = frozenset("href src alt title start controls preload sandbox class style".split())
_STYLES = frozenset(["text-align:left", "text-align:right", "text-align:center"])  # of tables
_SCHEMES = ("http:", "https:", "mailto:", "/", "#")
# Of rendered Markdown, and what parsers put around everything.
_MORE_TAGS = frozenset("html body thead tbody hr s".split())


def find_active(markup: str) -> list[str]:
    """Return the tags and attributes of a piece of HTML that could run something."""
    return [*_read_by_libxml2(markup), *_read_by_python(markup)]


def _read_by_libxml2(markup: str) -> list[str]:
    root = etree.fromstring(f"<html><body>{markup}</body></html>", etree.HTMLParser())
    found = []
    for element in root.iter():
        if not isinstance(element.tag, str):
            found.append(repr(element))
            continue
        found += _judge(element.tag, {str(k): str(v) for k, v in element.items()})
    return found


def _read_by_python(markup: str) -> list[str]:
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += _judge(tag, {name: value or "" for name, value in attrs})

    def handle_comment(self, data: str) -> None:
        self.found.append(f"<!--{data}")

    def handle_decl(self, decl: str) -> None:
        self.found.append(f"<!{decl}")

    def unknown_decl(self, data: str) -> None:
        self.found.append(f"<![{data}")

    def handle_pi(self, data: str) -> None:
        self.found.append(f"<?{data}")


def _judge(tag: str, attributes: dict[str, str]) -> list[str]:
    found = [] if tag in TAGS | _MORE_TAGS else [f"<{tag}>"]
    for name, value in attributes.items():
        is_safe = name in _ATTRIBUTES
        if name in ("href", "src"):
            is_safe = value.strip().lower().startswith(_SCHEMES)
        elif name == "style":
            is_safe = value in _STYLES
        found += [] if is_safe else [f"<{tag} {name}={value}>"]
    if tag == "iframe" and attributes.get("sandbox") != SANDBOX:
        found.append("<iframe> without a sandbox")
    return found
