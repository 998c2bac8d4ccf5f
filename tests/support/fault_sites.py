"""Generated sites: each 127.x.y.z has a home page, a feed and article pages, made from its IP.

The same IP address and number give the same article in every process, so a test knows what an
archive must contain (`article_of`) without a request.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import lru_cache
from random import Random
from zlib import crc32

from tests.support.fault_replies import reply
from tests.support.fault_templates import FAMILIES, home_page
from tests.support.fault_words import SENTENCES, SURNAMES, TOPICS

_FIRST_DAY = datetime(2026, 1, 5, 6, 0, tzinfo=UTC)
_NUMBER = re.compile(r"/article/(\d+)\Z")
_PART = re.compile(r"/article/(\d+)(?:/(\d+))?\Z")


@dataclass(frozen=True, slots=True)
class SitePlan:
    """How a site behaves; `/control/plan` changes it while the server runs."""

    pages: int = 20
    family: int | None = None  # of templates; None: by the site's IP address
    flip_at: int | None = None  # first article in the next family: a redesign
    alternates: bool = False  # odd articles in the next family: two templates side by side
    parts: int = 1  # pages per article: /article/N, /article/N/2, …
    feed_entries: int = 2000  # max entries of the feed, the newest
    hub: str | None = None  # the WebSub hub that the feed names
    hub_header: str | None = None  # or the HTTP header of the feed
    delay: float = 0.0  # seconds before each article page
    real_size: bool = False  # pages of 60 to 300 kB, as on the web: scripts, menus, teasers
    holds_articles: bool = False  # article pages wait until this is False again
    robots: str | None = None  # the text of robots.txt; None: 404
    routes: dict[str, str] = field(default_factory=dict)  # path → the path served instead
    fault_share: float = 0.0  # share of the sites that are faulty, with one fault each
    fault_kinds: tuple[str, ...] = ("/fault/status?code=500",)
    fault_every: int = 1  # every n-th article of a faulty site has the fault


@dataclass(frozen=True, slots=True)
class GeneratedArticle:
    """The content of an article page, without its template."""

    title: str
    author: str
    published: datetime
    paragraphs: tuple[str, ...]


@lru_cache(maxsize=20_000)
def article_of(site: str, number: int) -> GeneratedArticle:
    """Return the article of a site by its number.

    >>> article_of("127.1.0.1", 3) == article_of("127.1.0.1", 3) != article_of("127.1.0.2", 3)
    True
    """
    random = Random(f"{site}/{number}")  # noqa: S311
    first, second, third = random.sample(TOPICS, 3)
    texts = tuple(
        " ".join(
            sentence.format(topic=random.choice((first, second, third)))
            for sentence in random.sample(SENTENCES, random.randint(2, 5))
        )
        for _ in range(random.randint(4, 9))
    )
    return GeneratedArticle(
        title=f"{first.capitalize()} and {second} {number}: a new {third} for the valley",
        author=f"{random.choice('ABCDEFGH')}. {random.choice(SURNAMES)}",
        published=_FIRST_DAY + timedelta(hours=3 * number),
        paragraphs=texts,
    )


def family_of(site: str, number: int, plan: SitePlan) -> int:
    """Return the number of the template family of an article."""
    family = crc32(site.encode()) if plan.family is None else plan.family
    flipped = plan.flip_at is not None and number >= plan.flip_at
    alternate = plan.alternates and number % 2 == 1
    return (family + flipped + alternate) % len(FAMILIES)


def is_faulty(site: str, plan: SitePlan) -> bool:
    """Return whether a site is in the share of faulty ones."""
    return crc32(site.encode() + b"fault") % 1000 < plan.fault_share * 1000


def fault_of(site: str, target: str, plan: SitePlan) -> str | None:
    """Return the fault path served for an article page of a faulty site, or None."""
    if not plan.fault_share or not is_faulty(site, plan):
        return None
    found = _NUMBER.match(target)
    if not found or int(found[1]) % plan.fault_every:
        return None
    return plan.fault_kinds[crc32(site.encode() + b"kind") % len(plan.fault_kinds)]


def serve_page(site: str, target: str, headers: dict[str, str], plan: SitePlan) -> bytes:
    """Serve a generated site's articles, feed, home page and robots.txt."""
    found = _PART.match(target)
    if found and 1 <= int(found[1]) <= plan.pages and int(found[2] or 1) <= plan.parts:
        number, part = int(found[1]), int(found[2] or 1)
        html = _article_html(site, number, family_of(site, number, plan), part, plan.parts)
        return reply((_pad(html, number) if plan.real_size else html).encode())
    serve = _OTHERS.get(target)
    return (
        serve(site, headers, plan) if serve else reply(b"<p>No such page", status="404 Not Found")
    )


@lru_cache(maxsize=20_000)
def _article_html(site: str, number: int, family: int, part: int, parts: int) -> str:
    article = article_of(site, number)
    related = [(n, article_of(site, n).title) for n in range(max(1, number - 3), number)]
    shown = replace(article, paragraphs=paragraphs_of(article, part, parts))
    html = FAMILIES[family](site, number, shown, related)
    if part < parts:
        link = f'<a href="/article/{number}/{part + 1}">Next page</a>'
        html = html.replace('<div class="foot">', f'{link}<div class="foot">')
    return html


def _pad(html: str, number: int) -> str:
    """Add what makes pages large: scripts and styles in the head, boxes at the end."""
    kilobytes = 60 + 240 * (number * 37 % 100) // 100
    half = kilobytes * 500
    boxes = _BOX * (half // len(_BOX))
    head = f"<script>{'var a=[1,2,3];' * (half // 14)}</script></head>"
    return html.replace("</head>", head, 1).replace("</body>", f"{boxes}</body>", 1)


_BOX = (
    '<div class="more card-grid"><div class="card teaser" data-id="7"><a href="/section/world">'
    '<img src="/img/teaser-320.jpg" alt="" width="320" height="180"></a><h3 class="card-title">'
    '<a href="/section/world">More from the section</a></h3><span class="card-meta">Read on'
    "</span></div></div>\n"
)


def paragraphs_of(article: GeneratedArticle, part: int, parts: int) -> tuple[str, ...]:
    """Return the paragraphs of one part of an article; the last part has the rest."""
    each = max(1, len(article.paragraphs) // parts)
    end = None if part == parts else part * each
    return article.paragraphs[(part - 1) * each : end] or article.paragraphs[-1:]


def _feed(site: str, headers: dict[str, str], plan: SitePlan) -> bytes:
    tag = f'"{plan.pages}-{plan.feed_entries}"'
    if headers.get("if-none-match") == tag:
        return reply(b"", status="304 Not Modified", headers={"ETag": tag})
    base = f"http://{headers.get('host', site)}"
    numbers = range(plan.pages, max(0, plan.pages - plan.feed_entries), -1)
    items = "".join(_feed_item(base, site, number) for number in numbers)
    hub = f'<a:link xmlns:a="http://www.w3.org/2005/Atom" rel="hub" href="{plan.hub}"/>'
    body = (
        f'<?xml version="1.0"?><rss version="2.0"><channel><title>Site {site}</title>'
        f"<link>{base}/</link><description>News of {site}</description>"
        f"{hub if plan.hub else ''}{items}</channel></rss>"
    )
    link = {"Link": f'<{plan.hub_header}>; rel="hub"'} if plan.hub_header else {}
    return reply(body.encode(), kind="application/rss+xml", headers={"ETag": tag, **link})


def _feed_item(base: str, site: str, number: int) -> str:
    article = article_of(site, number)
    return (
        f"<item><title>{article.title}</title><link>{base}/article/{number}</link>"
        f"<guid>{site}-{number}</guid><description>{article.paragraphs[0]}</description>"
        f"<pubDate>{format_datetime(article.published)}</pubDate></item>"
    )


def _home(site: str, headers: dict[str, str], plan: SitePlan) -> bytes:
    latest = range(plan.pages, max(0, plan.pages - 10), -1)
    return reply(home_page(site, [(n, article_of(site, n).title) for n in latest]).encode())


def _robots(site: str, headers: dict[str, str], plan: SitePlan) -> bytes:
    if plan.robots is None:
        return reply(b"none", status="404 Not Found")
    return reply(plan.robots.encode(), kind="text/plain")


_OTHERS: dict[str, Callable[[str, dict[str, str], SitePlan], bytes]] = {
    "/": _home,
    "/feed.xml": _feed,
    "/robots.txt": _robots,
}
