"""Export wrappers in the formats of other tools, and articles as feeds."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forest_crawler.export.formats import FORMATS, export_wrappers
    from forest_crawler.export.rules import Export, PageSample, SiteRules

__all__ = ["FORMATS", "Export", "PageSample", "SiteRules", "export_wrappers"]

_HOMES = {"formats": "FORMATS export_wrappers", "rules": "Export PageSample SiteRules"}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Load a name on first use: the formats load the store, and every command uses a file."""
        for module, names in _HOMES.items():
            if name in names.split():
                return getattr(import_module(f"forest_crawler.export.{module}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
