"""`WrapperMethodChoice`: the option type for site-level methods that induce wrappers."""

from __future__ import annotations

import click

from forest_crawler.errors import WrapperlessMethodError
from forest_crawler.induction import SITE_METHODS
from forest_crawler.induction.induce import WRAPPERLESS_METHODS


class WrapperMethodChoice(click.Choice[str]):
    """A choice of `SITE_METHODS`; a method without wrappers is refused with the reason."""

    def __init__(self) -> None:
        super().__init__(sorted(SITE_METHODS))

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name if it is one of the choices."""
        if value in WRAPPERLESS_METHODS:
            refused = WrapperlessMethodError("site method", value, list(SITE_METHODS))
            self.fail(str(refused), param, ctx)
        return super().convert(value, param, ctx)
