"""Former paths below `forest_crawler.spiders`."""
