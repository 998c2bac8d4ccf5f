"""Export wrappers in the formats of other tools, and articles as feeds."""

from forest_crawler.export.formats import FORMATS, export_wrappers
from forest_crawler.export.rules import Export, PageSample, SiteRules

__all__ = ["FORMATS", "Export", "PageSample", "SiteRules", "export_wrappers"]
