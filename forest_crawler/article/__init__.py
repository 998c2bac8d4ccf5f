"""`Extraction` → `Article`, ready for the archive."""

from forest_crawler.article.article import Article, ArticleSource, make_article
from forest_crawler.article.content.forms import FormOptions

__all__ = ["Article", "ArticleSource", "FormOptions", "make_article"]
