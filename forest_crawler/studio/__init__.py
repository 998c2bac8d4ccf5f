"""The crawl in the browser: pages with their wrappers, and full text as a service.

`forest_crawler.studio.overlay` needs nothing beyond the package; the web application and the
service need the extra `studio`.
"""
