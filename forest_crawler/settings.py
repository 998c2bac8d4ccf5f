"""Scrapy settings: only what must differ from Scrapy's defaults.

`forest_crawler.fetching.addon.ForestAddon` sets the same in other projects. Ours are:
FOREST_ALLOW_NETWORKS   networks that may be fetched from though they are not public
FOREST_ALLOW_PORTS      ports beside the usual ones of web servers; "any" for all
FOREST_CONTACT          a page or mail address for the User-Agent
FOREST_PROXY            the URL of an HTTP proxy, or "env" for those of the environment
FOREST_PROXY_RESOLVES   leave names to the proxy that cannot be resolved here
FOREST_SITE_HEADERS     a TOML file of headers per site
FOREST_COOKIES          a cookies.txt
FOREST_ACCEPT_LANGUAGE  the languages that requests ask for
FOREST_RENDER           sites whose pages a browser renders; "auto": pages that are empty without
FOREST_BROWSER          the program of the browser
FOREST_SHORT_PAUSE      seconds of a Retry-After that are waited out in place
FOREST_SLOT_PER_ADDRESS one queue for all hosts at an IP address
FOREST_STORE            the database of what was fetched and archived
FOREST_STORE_BODIES     a directory or address for the bodies of pages; "db": in the store
FOREST_JOIN             share the store, in PostgreSQL, with other crawls of the same list
FOREST_LEASE_SECONDS    after which those take over what a crawl that is gone had begun
FOREST_OUTPUT           the file of articles
FOREST_ITEMS            send new articles through the item pipelines
FOREST_WARC             a directory for WARC files of what was fetched
FOREST_METHOD           the site-level method that induces wrappers
FOREST_FALLBACK         the page-level method for pages that no wrapper fits
FOREST_WITH_TITLE       begin text, HTML and Markdown with the headline
FOREST_CAPTIONS         keep the captions of pictures in all three
FOREST_SINCE            the first day of articles that are wanted
FOREST_UNTIL            the last one
FOREST_LANGUAGES        codes of the languages that are wanted
FOREST_MATCH            a regular expression that the URLs of pages must have
FOREST_REJECT           one that they must not have
FOREST_VERSION_DAYS     days in which changed articles are fetched again; 0: never
FOREST_WORKERS          processes that read feeds and pages; 0: one per processor
FOREST_WORKER_MEMORY_MB max memory of such a process for a job
FOREST_FEED_PAGES       max pages of a feed (rel=next), the first included
FOREST_SITE_PAGES       max new pages of a site that one run schedules
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def _version() -> str:
    try:
        return version("forest-crawler")
    except PackageNotFoundError:  # run from a copy that isn't installed
        return "0"


BOT_NAME = "forest-crawler"
SPIDER_MODULES = ["forest_crawler.spiders"]
NEWSPIDER_MODULE = "forest_crawler.spiders"

# Who we are, and our name in robots.txt.
USER_AGENT = f"forest-crawler/{_version()}"
ROBOTSTXT_USER_AGENT = "forest-crawler"
ROBOTSTXT_OBEY = True
FOREST_CONTACT: str | None = None

# A site gets at most one request per second, fewer if it is slow. Scrapy's jitter would halve the
# delay now and then.
DOWNLOAD_DELAY = 1.0
DOWNLOAD_DELAY_JITTER = 0.0
CONCURRENT_REQUESTS = 64
CONCURRENT_REQUESTS_PER_DOMAIN = 1
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
AUTOTHROTTLE_MAX_DELAY = 30.0
FOREST_SHORT_PAUSE = 5.0
FOREST_SLOT_PER_ADDRESS = False

# Only the public web, and only by http and https.
FOREST_ALLOW_NETWORKS: list[str] = []
FOREST_ALLOW_PORTS: list[str] = []
TWISTED_DNS_RESOLVER = "forest_crawler.fetching.public_resolver.PublicResolver"
DOWNLOAD_HANDLERS: dict[str, str | None] = {
    "http": "forest_crawler.fetching.download_handler.DownloadHandler",
    "https": "forest_crawler.fetching.download_handler.DownloadHandler",
    "data": None,
    "file": None,
    "ftp": None,
    "s3": None,
}
REACTOR_THREADPOOL_MAXSIZE = 20  # hosts are resolved in threads, and some take long
URLLENGTH_LIMIT = 2048
# A proxy resolves hosts itself, past the public resolver, so none is used unless somebody asks.
HTTPPROXY_ENABLED = False
FOREST_PROXY: str | None = None
FOREST_PROXY_RESOLVES = False

# Articles are public: with a session, pages would differ from what other readers get; a referrer
# would give away the URL of a private feed.
COOKIES_ENABLED = False
FOREST_SITE_HEADERS: str | None = None
FOREST_COOKIES: str | None = None
FOREST_ACCEPT_LANGUAGE: str | None = None
FOREST_RENDER: list[str] = []
FOREST_BROWSER: str | None = None
REFERRER_POLICY = "no-referrer"

# A page of 5 MiB takes some 330 MB as a tree; Scrapy's defaults are 1 GiB and three minutes.
DOWNLOAD_MAXSIZE = 5 * 1024 * 1024
DOWNLOAD_WARNSIZE = 0
# Bytes of responses that wait for a worker or the disk. Beyond Scrapy's 5 MB nothing is fetched:
# one large feed, or fifty common pages, would stop the crawl while they are read.
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 64 * 1024 * 1024
DOWNLOAD_TIMEOUT = 30
MEMUSAGE_LIMIT_MB = 1500
REDIRECT_MAX_TIMES = 8
# After more seconds, a page reloads itself; it has not moved.
METAREFRESH_MAXDELAY = 3

# One retry at once; later retries are up to the store.
RETRY_TIMES = 1
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"

DOWNLOADER_MIDDLEWARES: dict[str, int | None] = {
    "forest_crawler.fetching.url_check.UrlPolicyMiddleware": 10,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "forest_crawler.fetching.robots.RobotsMiddleware": 100,
    "forest_crawler.fetching.crawl_delay.CrawlDelayMiddleware": 110,
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": None,
    "forest_crawler.fetching.identity.IdentityMiddleware": 390,  # before Scrapy's default headers
    "forest_crawler.fetching.retry_after.RetryAfterMiddleware": 560,  # before Scrapy's retries
    "forest_crawler.fetching.rendering.middleware.RenderMiddleware": 570,  # sees checked pages
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "forest_crawler.fetching.meta_refresh.MetaRefreshMiddleware": 580,
    "forest_crawler.fetching.content.ContentMiddleware": 585,  # sees decompressed bodies
    "scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware": None,
    "forest_crawler.fetching.proxy.ProxyMiddleware": 750,
    "forest_crawler.fetching.public_resolver.ConnectionMiddleware": 880,  # next to the downloader
}

# Makes articles of pages; the add-on leaves that to the project.
ITEM_PIPELINES: dict[str, int | None] = {"forest_crawler.pipelines.forest.ForestPipeline": 500}
FOREST_STORE = "sqlite:///forest.db"  # store.DEFAULT_STORE_URL; a test keeps them equal
FOREST_STORE_BODIES = "db"
FOREST_JOIN = False
FOREST_LEASE_SECONDS = 60.0
FOREST_OUTPUT = "articles.jsonl"
FOREST_ITEMS = True
FOREST_WARC: str | None = None
FOREST_METHOD = "forest"
FOREST_FALLBACK = "page"
FOREST_WITH_TITLE = False
FOREST_CAPTIONS = True
FOREST_SINCE: str | None = None
FOREST_UNTIL: str | None = None
FOREST_LANGUAGES: list[str] = []
FOREST_MATCH: str | None = None
FOREST_REJECT: str | None = None
FOREST_VERSION_DAYS = 2.0
FOREST_WORKERS = 0
FOREST_WORKER_MEMORY_MB = 1024
FOREST_FEED_PAGES = 1
FOREST_SITE_PAGES = 2000

# Ports that run any code that reaches them.
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
