"""Load what workers need before they are forked: modules, words, page model.

Imported in the fork server. Elsewhere all of it loads on first use; here a few pages are processed
once, so that every worker shares the loaded memory. The garbage collector leaves it alone: visiting
it would take a tenth of a worker's time, and copy it.

scikit-learn isn't part of it: it takes longer to load than all the rest, and only inductions need
it (`induction_preload`).
"""

from __future__ import annotations

import gc

from forest_crawler.crawl import induction_job  # noqa: F401
from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.jobs import SiteJob
from forest_crawler.crawl.source_jobs import Document, read_source
from forest_crawler.store.records import HeldPage
from forest_crawler.wrapper.wrapper import Wrapper

SITE = "harbour.example"

_PAGE = (
    "<html lang=en><title>{0} opens</title><ul><li>Home<li>News<li>Sport</ul><div class=story>"
    "<h1>{0} opens</h1><p>Our new {0} opens on Monday, said the mayor: the {0} was built in two "
    "years by local people, and visitors may see the {0} for free on the first of June.</div>"
)


def _page(topic: str) -> HeldPage:
    url = f"http://{SITE}/{topic}"
    body = _PAGE.format(topic).encode()
    return HeldPage(url, url, SITE, 200, "text/html", body, 0.0, None, None, None)


PAGES = [_page(topic) for topic in ("ferry", "bakery", "museum")]


def _load() -> None:
    wrapper = Wrapper(SITE, "forest", "portable", ("//*[@class='story']",))
    extract_sites([SiteJob(SITE, ((1, wrapper),), tuple(PAGES))])
    extract_sites([SiteJob(SITE, (), tuple(PAGES))])
    read_source(
        Document(b"<rss><channel><item><link>/a</link></item></channel></rss>", PAGES[0].url)
    )
    read_source(Document(PAGES[0].body, PAGES[0].url))


_load()
gc.collect()
gc.freeze()
