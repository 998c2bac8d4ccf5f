"""The crawl engine, free of Scrapy: what is due, worked on and archived next."""
