"""Hand what was fetched to the library and the store; installed as `forest_crawler.pipelines`."""
