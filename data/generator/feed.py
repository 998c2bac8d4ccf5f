"""Render a site's feed as RSS 2.0, Atom or RSS 1.0."""

from collections.abc import Callable
from xml.sax.saxutils import escape, quoteattr

from .dates import format_mail_date
from .inline import to_text
from .page import render_body
from .parts import Article
from .site import Site


def render_feed(site: Site) -> bytes:
    """Render the feed as bytes, in the encoding that its XML declaration names."""
    head = f'<?xml version="1.0" encoding="{site.feed_encoding.upper()}"?>\n'
    return (head + _FORMATS[site.feed_format](site)).encode(site.feed_encoding)


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text)}</{name}>"


def _render_rss2(site: Site) -> str:
    items = "\n".join(_rss2_item(site, article) for article in site.articles)
    content = ' xmlns:content="http://purl.org/rss/1.0/modules/content/"' if site.full_feed else ""
    return f"""<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"{content}>
<channel>
{_element("title", site.title)}
{_element("link", site.url)}
{_element("description", site.tagline)}
{_element("language", site.language)}
{items}
</channel>
</rss>
"""


def _rss2_item(site: Site, article: Article) -> str:
    url = site.article_url(article)
    lines = [
        _element("title", article.title),
        _element("link", url),
        f'<guid isPermaLink="true">{escape(url)}</guid>',
        _element("description", to_text(article.lead)),
        *_creators(article),
        *(_element("category", tag) for tag in article.tags),
        _element("pubDate", format_mail_date(article.date)),
        *_full_text(site, article),
    ]
    return "<item>\n" + "\n".join(lines) + "\n</item>"


def _render_atom(site: Site) -> str:
    entries = "\n".join(_atom_entry(site, article) for article in site.articles)
    return f"""<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{site.language}">
{_element("title", site.title)}
{_element("subtitle", site.tagline)}
<link rel="alternate" type="text/html" href={quoteattr(site.url)}/>
<link rel="self" type="application/atom+xml" href={quoteattr(site.url + "feed.xml")}/>
{_element("id", site.url)}
{_element("updated", site.articles[0].date.isoformat())}
<author>{_element("name", site.title)}</author>
{entries}
</feed>
"""


def _atom_entry(site: Site, article: Article) -> str:
    url = site.article_url(article)
    lines = [
        _element("title", article.title),
        f'<link rel="alternate" type="text/html" href={quoteattr(url)}/>',
        _element("id", url),
        _element("published", article.date.isoformat()),
        _element("updated", article.date.isoformat()),
        *(f"<author>{_element('name', name)}</author>" for name in article.authors),
        *(f"<category term={quoteattr(tag)}/>" for tag in article.tags),
        f'<summary type="text">{escape(to_text(article.lead))}</summary>',
    ]
    return "<entry>\n" + "\n".join(lines) + "\n</entry>"


def _render_rss1(site: Site) -> str:
    urls = [quoteattr(site.article_url(article)) for article in site.articles]
    parts = "\n".join(f"<rdf:li rdf:resource={url}/>" for url in urls)
    items = "\n".join(_rss1_item(site, article) for article in site.articles)
    return f"""<rdf:RDF xmlns="http://purl.org/rss/1.0/"
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xml:lang="{site.language}">
<channel rdf:about={quoteattr(site.url + "feed.xml")}>
{_element("title", site.title)}
{_element("link", site.url)}
{_element("description", site.tagline)}
{_element("dc:language", site.language)}
<items><rdf:Seq>
{parts}
</rdf:Seq></items>
</channel>
{items}
</rdf:RDF>
"""


def _rss1_item(site: Site, article: Article) -> str:
    url = site.article_url(article)
    lines = [
        _element("title", article.title),
        _element("link", url),
        _element("description", to_text(article.lead)),
        *_creators(article),
        *(_element("dc:subject", tag) for tag in article.tags),
        _element("dc:date", article.date.isoformat()),
    ]
    return f"<item rdf:about={quoteattr(url)}>\n" + "\n".join(lines) + "\n</item>"


def _creators(article: Article) -> list[str]:
    return [_element("dc:creator", name) for name in article.authors]


def _full_text(site: Site, article: Article) -> list[str]:
    if not site.full_feed or article.template:  # another template says its text in the page
        return []
    return [f"<content:encoded><![CDATA[{render_body(site, article)}]]></content:encoded>"]


_FORMATS: dict[str, Callable[[Site], str]] = {
    "rss2": _render_rss2,
    "atom": _render_atom,
    "rss1": _render_rss1,
}
