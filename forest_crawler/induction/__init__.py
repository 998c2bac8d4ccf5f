"""A site's sample pages → its wrappers."""

from forest_crawler.induction.induce import (
    DEFAULT_METHOD,
    SITE_METHODS,
    Induction,
    InductionOptions,
    SamplePage,
    explain_induction,
    induce,
)

__all__ = [
    "DEFAULT_METHOD",
    "SITE_METHODS",
    "Induction",
    "InductionOptions",
    "SamplePage",
    "explain_induction",
    "induce",
]
