"""`scrapy.cfg` names settings that Scrapy reads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_scrapy_in_the_checkout_obeys_robots_txt_under_our_name() -> None:
    code = (
        "from scrapy.utils.project import get_project_settings as read; "
        "print(read()['BOT_NAME'], read().getbool('ROBOTSTXT_OBEY'), read()['SPIDER_MODULES'])"
    )
    command = [sys.executable, "-c", code]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert printed == "forest-crawler True ['forest_crawler.spiders']\n"
