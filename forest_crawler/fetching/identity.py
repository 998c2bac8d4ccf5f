"""`IdentityMiddleware`: names the program, its version, a contact and the user's languages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.useragent import UserAgentMiddleware

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_NOT_IN_COMMENT = re.compile(r"[^\x20-\x7e]+|[()]")  # a header's, which is in parentheses


class IdentityMiddleware(UserAgentMiddleware):
    """Sends USER_AGENT, followed by FOREST_CONTACT if there is one.

    It comes before Scrapy's default headers, which have a language of their own.
    """

    languages: str | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        made = super().from_crawler(crawler)
        made.user_agent = agent_name(
            crawler.settings["USER_AGENT"], crawler.settings.get("FOREST_CONTACT")
        )
        made.languages = crawler.settings.get("FOREST_ACCEPT_LANGUAGE")
        return made

    def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Request | Response | None:
        """Set the headers that the request does not have."""
        if self.languages:
            request.headers.setdefault(b"Accept-Language", self.languages)
        return super().process_request(request)


def agent_name(program: str, contact: str | None) -> str:
    """Return a User-Agent: a program's name and a contact (page or mail address).

    >>> agent_name("forest-crawler/0.1.0", "https://gazette.example/robot")
    'forest-crawler/0.1.0 (+https://gazette.example/robot)'
    """
    return f"{program} (+{_NOT_IN_COMMENT.sub('', contact)})" if contact else program
