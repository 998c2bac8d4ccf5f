"""Former paths below `forest_crawler.pipelines`."""
