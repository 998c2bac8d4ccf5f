"""`IdentityMiddleware`: names the program, its version and a contact."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.useragent import UserAgentMiddleware

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

_NOT_IN_COMMENT = re.compile(r"[^\x20-\x7e]+|[()]")  # a header's, which is in parentheses


class IdentityMiddleware(UserAgentMiddleware):
    """Sends USER_AGENT, followed by FOREST_CONTACT if there is one."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        made = super().from_crawler(crawler)
        made.user_agent = agent_name(
            crawler.settings["USER_AGENT"], crawler.settings.get("FOREST_CONTACT")
        )
        return made


def agent_name(program: str, contact: str | None) -> str:
    """Return a User-Agent: a program's name and a contact (page or mail address).

    >>> agent_name("forest-crawler/0.1.0", "https://gazette.example/robot")
    'forest-crawler/0.1.0 (+https://gazette.example/robot)'
    """
    return f"{program} (+{_NOT_IN_COMMENT.sub('', contact)})" if contact else program
