"""Former path of `forest_crawler.extraction.methods`."""
