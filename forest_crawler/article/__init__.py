"""`Extraction` → `Article`, ready for the archive."""

from forest_crawler.article.article import Article, ArticleSource, make_article

__all__ = ["Article", "ArticleSource", "make_article"]
