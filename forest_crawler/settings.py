"""Scrapy settings: what `scrapy.cfg` points to. Only what must differ from Scrapy's defaults."""

from __future__ import annotations

BOT_NAME = "forest-crawler"
SPIDER_MODULES = ["forest_crawler.spiders"]
NEWSPIDER_MODULE = "forest_crawler.spiders"

ROBOTSTXT_OBEY = True

# Articles are public: a session would only tell one reader's page from another's.
COOKIES_ENABLED = False

# A port that runs whatever code reaches it.
TELNETCONSOLE_ENABLED = False
