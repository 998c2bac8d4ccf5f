"""Load what workers need before they are forked: modules, words, page model.

Imported in the fork server. Elsewhere all of it loads on first use; here a small site is processed
once, so that every worker shares the loaded memory. The garbage collector leaves it alone: visiting
it would take a tenth of a worker's time, and copy it.
"""

from __future__ import annotations

import gc

from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.induction_job import induce_site
from forest_crawler.crawl.jobs import SiteJob
from forest_crawler.crawl.source_jobs import Document, read_source
from forest_crawler.store.records import HeldPage

_PAGE = (
    "<html lang=en><title>{0} opens</title><ul><li>Home<li>News<li>Sport</ul><div class=story>"
    "<h1>{0} opens</h1><p>Our new {0} opens on Monday, said the mayor: the {0} was built in two "
    "years by local people, and visitors may see the {0} for free on the first of June.</div>"
)


def _page(topic: str) -> HeldPage:
    url = f"http://harbour.example/{topic}"
    body = _PAGE.format(topic).encode()
    return HeldPage(url, url, "harbour.example", 200, "text/html", body, 0.0, None, None, None)


def _load() -> None:
    pages = [_page(topic) for topic in ("ferry", "bakery", "museum")]
    wrappers = enumerate(induce_site("harbour.example", pages).wrappers)
    extract_sites([SiteJob("harbour.example", tuple(wrappers), tuple(pages))])
    extract_sites([SiteJob("harbour.example", (), tuple(pages))])
    read_source(
        Document(b"<rss><channel><item><link>/a</link></item></channel></rss>", pages[0].url)
    )
    read_source(Document(pages[0].body, pages[0].url))


_load()
gc.collect()
gc.freeze()
