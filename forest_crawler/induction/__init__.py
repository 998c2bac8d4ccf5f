"""Derive a site's wrappers from its sample pages."""

from forest_crawler.induction.forest import ForestMethod
from forest_crawler.induction.induce import (
    DEFAULT_METHOD,
    SITE_METHODS,
    explain_induction,
    induce,
)
from forest_crawler.induction.method import Induction, SiteMethod
from forest_crawler.induction.paper.method import PaperMethod
from forest_crawler.induction.sample import SamplePage

__all__ = [
    "DEFAULT_METHOD",
    "SITE_METHODS",
    "ForestMethod",
    "Induction",
    "PaperMethod",
    "SamplePage",
    "SiteMethod",
    "explain_induction",
    "induce",
]
