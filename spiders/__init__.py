"""What to fetch next: the Scrapy spiders, installed as `forest_crawler.spiders`."""
