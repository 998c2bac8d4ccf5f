"""What plugs into Scrapy's downloader: robots.txt, delays, resolver, limits."""
