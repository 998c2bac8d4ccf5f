"""The name that every request goes by: the program, its version, and whom to write to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.useragent import UserAgentMiddleware

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

_NO_HEADER = re.compile(r"[^\x20-\x7e]+|[()]")  # a header is one line, its comment in brackets


class IdentityMiddleware(UserAgentMiddleware):
    """Sends USER_AGENT, with the address of FOREST_CONTACT behind it where there is one."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        made = super().from_crawler(crawler)
        made.user_agent = agent_name(
            crawler.settings["USER_AGENT"], crawler.settings.get("FOREST_CONTACT")
        )
        return made


def agent_name(program: str, contact: str | None) -> str:
    """Put a contact (a page or a mail address) behind a program's name.

    >>> agent_name("forest-crawler/0.1.0", "https://gazette.example/robot")
    'forest-crawler/0.1.0 (+https://gazette.example/robot)'
    """
    return f"{program} (+{_NO_HEADER.sub('', contact)})" if contact else program
