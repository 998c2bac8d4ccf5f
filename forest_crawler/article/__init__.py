"""`Extraction` → `Article`, ready for the archive."""

from forest_crawler.article.article import Article, ArticleSource, make_article
from forest_crawler.article.content.forms import FormOptions
from forest_crawler.article.page_article import extract_article

__all__ = ["Article", "ArticleSource", "FormOptions", "extract_article", "make_article"]
