"""Template families of the generated sites; a redesign switches to the next family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol


class _Article(Protocol):
    @property
    def title(self) -> str: ...
    @property
    def author(self) -> str: ...
    @property
    def published(self) -> datetime: ...
    @property
    def paragraphs(self) -> tuple[str, ...]: ...


Related = Sequence[tuple[int, str]]
Template = Callable[[str, int, _Article, Related], str]


def home_page(site: str, latest: Related) -> str:
    """Return the page that declares the feed and links to the latest articles."""
    feed = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
    return _whole(site, f"Site {site}", f"<main><ul>{_links(latest)}</ul></main>", feed)


def _magazine(site: str, number: int, article: _Article, related: Related) -> str:
    day = article.published.isoformat()
    return _whole(
        site,
        article.title,
        f'<div class="layout"><article class="story"><h1 class="headline">{article.title}</h1>'
        f'<p class="byline">By {article.author}, <time datetime="{day}">{day[:10]}</time></p>'
        f'<div class="story-body">{_paragraphs(article)}</div></article>'
        f'<aside class="related"><h2>Read more</h2><ul>{_links(related)}</ul></aside></div>',
    )


def _blog(site: str, number: int, article: _Article, related: Related) -> str:
    return _whole(
        site,
        article.title,
        f'<div id="content"><div class="post" id="post-{number}"><h2>{article.title}</h2>'
        f'<div class="entry">{_paragraphs(article)}</div>'
        f'<div class="meta">Posted by {article.author} on {article.published:%d %B %Y}</div></div>'
        f'<div id="comments"><h3>Comments</h3><p>Nobody has said anything yet.</p></div></div>'
        f'<div id="sidebar"><ul>{_links(related)}</ul></div>',
    )


def _tables(site: str, number: int, article: _Article, related: Related) -> str:
    rows = "".join(f"<tr><td>{title}</td></tr>" for _, title in related)
    return _whole(
        site,
        article.title,
        f'<table class="frame"><tr><td class="left"><table>{rows}</table></td>'
        f'<td class="text"><font size="5"><b>{article.title}</b></font><br>{article.author}'
        f"<div>{_paragraphs(article)}</div></td></tr></table>",
    )


def _plain(site: str, number: int, article: _Article, related: Related) -> str:
    return _whole(
        site,
        article.title,
        f'<main><section class="c-a1"><h1>{article.title}</h1><section class="c-b2">'
        f'{_paragraphs(article)}</section></section><section class="c-z9">'
        f"<p>{article.author} writes for this site. Letters to the desk are welcome.</p>"
        f"{_links(related)}</section></main>",
    )


FAMILIES: tuple[Template, ...] = (_magazine, _blog, _tables, _plain)


def _whole(site: str, title: str, content: str, head: str = "") -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title} – Site {site}'
        f'</title>{head}</head><body><div class="top"><a href="/">Site {site}</a><ul class="menu">'
        '<li><a href="/news">News</a><li><a href="/sport">Sport</a><li><a href="/about">About</a>'
        f'</ul></div>{content}<div class="foot"><p>All rights reserved by the site {site}. '
        '<a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></p></div></body></html>'
    )


def _paragraphs(article: _Article) -> str:
    return "".join(f"<p>{text}</p>" for text in article.paragraphs)


def _links(articles: Related) -> str:
    return "".join(f'<li><a href="/article/{n}">{title}</a></li>' for n, title in articles)
