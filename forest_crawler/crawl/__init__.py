"""The crawl engine, free of Scrapy: what is fetched, processed and archived next."""
