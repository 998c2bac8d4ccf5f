"""Former path of `forest_crawler.article.content.forms`."""

from forest_crawler.article.content.forms import write_forms

__all__ = ["write_forms"]
