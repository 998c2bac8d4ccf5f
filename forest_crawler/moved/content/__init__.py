"""Former path of `forest_crawler.article.content`."""
