"""Load also what inductions need before workers are forked: scikit-learn.

It takes half a second and 100 MB. A crawl with a new store will induce, so its workers share the
loaded memory; in other crawls, a worker loads it with its first induction, if there is any.
"""

from __future__ import annotations

import gc

from forest_crawler.crawl.induction_job import induce_site
from forest_crawler.crawl.worker_preload import PAGES, SITE

induce_site(SITE, PAGES)
gc.collect()
gc.freeze()
