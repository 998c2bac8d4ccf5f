"""`BatchOptions`: what a batch does, as plain values that go to other machines."""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.article.content.forms import DEFAULT_FORMS, FormOptions
from forest_crawler.article.schemas import Schema
from forest_crawler.export.folders import open_folder
from forest_crawler.export.parts import Ending, PartForm
from forest_crawler.extraction.extraction import FALLBACK, get_fallback
from forest_crawler.induction.induce import DEFAULT_METHOD, get_site_method

WRAPPERS = "_wrappers"
"""The folder of wrappers within the output, unless another one is named."""


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """Where a batch writes, and by which methods it extracts."""

    output: str
    wrappers: str | None = None  # a folder, or a file that ends with .json
    ending: Ending = "parquet"
    schema: Schema = "forest"
    chosen: tuple[str, ...] | None = None  # the fields to write; None: all
    method: str = DEFAULT_METHOD
    fallback: str = FALLBACK
    forms: FormOptions = DEFAULT_FORMS

    def check(self) -> None:
        """Raise for names and forms that do not exist, before anything is read."""
        get_site_method(self.method)
        get_fallback(self.fallback)
        _ = self.part_form
        open_folder(self.output)
        if not self.wrappers_address.endswith(".json"):
            open_folder(self.wrappers_address)

    @property
    def part_form(self) -> PartForm:
        """The form of the parts."""
        return PartForm(self.ending, self.schema, self.chosen)

    @property
    def wrappers_address(self) -> str:
        """Where wrappers are read from and written to."""
        if self.wrappers is not None:
            return self.wrappers
        return f"{self.output.rstrip('/')}/{WRAPPERS}"
