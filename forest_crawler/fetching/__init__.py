"""What plugs into Scrapy's downloader: robots.txt, delays, address guard, limits."""
