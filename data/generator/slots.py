"""The `$names` that page and snippet sources may use.

Plain names are facts of the article (`$title`, `$url`, `$date`, …). A name with a known prefix is
computed on demand:

    $json_title     a fact as a JSON string, for scripts
    $snip_share     the snippet `share`, with the same slots
    $list_read_5    the snippet `read` for five other articles, chosen at random per page
    $all_teaser     the snippet `teaser` for every article, newest first
    $tease_side_9   the snippet `side` for nine lines of the section `headlines`
    $num_post       a random number per page
    $hash_title     a class-name hash as bundlers make it; the newer half has another build
    $mod_title      the same as CSS modules make it: five letters and digits
    $part_0         the body up to its first box `stream`; $part_1 what follows up to the next
"""

import hashlib
import json
import random
from collections.abc import Callable
from html import escape
from string import Template, ascii_letters, digits

from .dates import format_date
from .inline import to_html, to_text
from .parts import Article
from .site import Site

MODULE_LETTERS = ascii_letters + digits
STREAM = "<!--stream-->"  # what the box `stream` renders: the next part comes later in the page


class Slots(dict[str, str]):
    """The facts of one page, and names computed from them on demand."""

    def __init__(self, site: Site, article: Article | None, page: Article | None = None) -> None:
        super().__init__(site_title=site.title, site_url=site.url, site_name=site.name)
        self.site = site
        self.article = article
        self.page = page or article  # the page that shows it: lists on a page show other articles
        self.raw: dict[str, str] = {}
        if article is not None:
            self._add_facts(article)

    def __missing__(self, key: str) -> str:
        prefix, _, name = key.partition("_")
        if prefix not in _MAKERS:
            raise KeyError(f"{self.site.name}: no slot ${key}")
        return _MAKERS[prefix](self, name)

    def fill(self, source: str, /, **extra: str) -> str:
        """Fill a source's slots; `extra` is for this source only."""
        inner = self.copy_with(extra) if extra else self
        return Template(source).substitute(inner)

    def snippet(self, name: str, /, **extra: str) -> str:
        """Fill the snippet of that name."""
        template = self.article.template if self.article else None
        return self.fill(self.site.snippet(name, template), **extra)

    def copy_with(self, extra: dict[str, str]) -> "Slots":
        """Return the same slots with additional facts."""
        slots = Slots(self.site, self.article, self.page)
        slots.update(self)
        slots.update(extra)
        return slots

    def random(self, purpose: str) -> random.Random:
        """Return a generator seeded by site, page and purpose: pages never change."""
        return random.Random(f"{self.site.name}/{self._page_name()}/{purpose}")

    def _page_name(self) -> str:
        return self.article.doc if self.article else "home"

    def _add_facts(self, article: Article) -> None:
        site = self.site
        self.raw = {
            "url": site.article_url(article),
            "doc": article.doc,
            "title": article.title,
            "lead": to_text(article.lead),
            "author": site.joiner.join(article.authors),
            "section": article.section,
            "iso": article.date.isoformat(),
            "day": f"{article.date:%Y-%m-%d}",
            "date": format_date(article.date, site.date_format, site.language),
            "tag_words": ", ".join(article.tags),
            "access_tier": article.access,
            "access_free": "true" if article.access == "free" else "false",
        }
        # Escapes quotes, too, as facts are also used in attributes.
        self.update({name: escape(value) for name, value in self.raw.items()})
        self["marked_lead"] = to_html(article.lead)


def _json(slots: Slots, name: str) -> str:
    return json.dumps(slots.raw[name], ensure_ascii=False).replace("</", "<\\/")


def _snip(slots: Slots, name: str) -> str:
    return slots.snippet(name)


def _list(slots: Slots, name: str) -> str:
    snippet, _, count = name.rpartition("_")
    others = [article for article in slots.site.articles if article is not slots.article]
    chosen = slots.random(name).sample(others, int(count))
    return _repeat(slots, snippet, chosen)


def _all(slots: Slots, name: str) -> str:
    return _repeat(slots, name, list(slots.site.articles))


def _repeat(slots: Slots, name: str, articles: list[Article]) -> str:
    # The page's template decides the snippet, not the linked article's.
    template = slots.article.template if slots.article else None
    source = slots.site.snippet(name, template)
    return "\n".join(
        Slots(slots.site, article, slots.article).fill(source, n=str(n))
        for n, article in enumerate(articles, 1)
    )


def _tease(slots: Slots, name: str) -> str:
    snippet, _, count = name.rpartition("_")
    headlines = slots.site.snippets["headlines"].splitlines()
    chosen = slots.random(name).sample(headlines, int(count))
    return "\n".join(
        slots.snippet(snippet, headline=to_html(line), n=str(n)) for n, line in enumerate(chosen, 1)
    )


def _num(slots: Slots, name: str) -> str:
    return str(slots.random(f"num {name}").randrange(1000, 99999))


def _hash(slots: Slots, name: str) -> str:
    half = len(slots.site.articles) // 2
    newer = slots.page is None or slots.site.articles.index(slots.page) < half
    return hashlib.sha256(f"{slots.site.name} {newer} {name}".encode()).hexdigest()[:6]


def _mod(slots: Slots, name: str) -> str:
    number = int(_hash(slots, f"module {name}") * 2, 16)
    return "".join(MODULE_LETTERS[number // 62**i % 62] for i in range(5))


def _part(slots: Slots, name: str) -> str:
    parts = slots["body"].split(STREAM)
    return parts[int(name)].strip() if int(name) < len(parts) else ""


_MAKERS: dict[str, Callable[[Slots, str], str]] = {
    "json": _json,
    "snip": _snip,
    "list": _list,
    "all": _all,
    "tease": _tease,
    "num": _num,
    "hash": _hash,
    "mod": _mod,
    "part": _part,
}
