"""`WrapperWriter`: a template's fit → the site's `Wrapper`, with what speaks for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import fsum

from forest_crawler.induction.field_locators import FieldLocators
from forest_crawler.induction.fitted_selection import select_fit
from forest_crawler.induction.fitting import Fit
from forest_crawler.induction.repeated_lines import find_repeated_lines, rate_lines
from forest_crawler.induction.scored_page import ScoredPage
from forest_crawler.induction.significant_paths import SignificantPage
from forest_crawler.induction.signifiers import DocumentFrequencies
from forest_crawler.induction.templates import Template
from forest_crawler.page.selection import Selection
from forest_crawler.wrapper.locators import Locator, write_xpath
from forest_crawler.wrapper.name_tree import NameTree
from forest_crawler.wrapper.wrapper import Wrapper

MAX_SIGNIFIERS = 20
"""Signifiers that a wrapper names: those of its pages that are heaviest together."""

MAX_FREQUENCIES = 1000
"""Terms whose document frequency a wrapper keeps, the most frequent ones: about 10 kB."""


@dataclass(frozen=True, slots=True)
class WrapperWriter:
    """What all wrappers of a site share."""

    site: str
    method: str
    constants: tuple[str, ...]
    language: str
    frequencies: DocumentFrequencies
    pages: Mapping[ScoredPage, SignificantPage]  # all of the sample
    names: NameTree  # of these pages
    drops_lines: bool = True  # whether lines that repeat are left out

    def write(self, template: Template, fields: FieldLocators) -> Wrapper:
        """Write the wrapper of a template, whose pages show the fields there."""
        fit, pages = template
        f1s = [page.sure_f1(page.mask(fit)) for page in pages]
        words = [float(page.words[page.mask(fit)].sum()) for page in pages]
        body = fit.taken.ranked if fit.taken else None
        wrapper = Wrapper(
            site=self.site,
            method=self.method,
            form="portable",
            body=template.body,
            strip=template.strip,
            support=len(pages),
            pages=len(self.pages),
            relevance=round(body.relevance, 4) if body else 0.0,
            density=round(body.j, 4) if body else 0.0,
            unexpectedness=round(body.u, 4) if body else 0.0,
            frequency=body.pages if body else 0,
            level=round(body.level, 2) if body else 0.0,
            confidence=round(fsum(f1s) / len(f1s), 4),
            words=int(min(words)),
            title=_write_field(fields.title),
            author=_write_field(fields.author),
            date=_write_field(fields.date),
            lead=_write_field(fields.lead),
            image=_write_field(fields.image),
            common=self.constants,
            signifiers=self._heaviest_signifiers(pages),
            language=self.language,
            frequencies=self.frequencies.write(MAX_FREQUENCIES),
        )
        if not self.drops_lines:
            return wrapper
        rated = [rate_lines(page, self._select(page, fit)) for page in pages]
        return replace(wrapper, repeated=find_repeated_lines(rated))

    def _select(self, page: ScoredPage, fit: Fit) -> Selection:
        return select_fit(self.pages[page].terms.tree, page.names, self.names, fit)

    def _heaviest_signifiers(self, pages: Iterable[ScoredPage]) -> tuple[str, ...]:
        sums: Counter[str] = Counter()
        for page in pages:
            sums.update(self.pages[page].signifiers.weights)
        ranked = sorted(sums.items(), key=lambda item: (-item[1], item[0]))
        return tuple(term for term, _ in ranked[:MAX_SIGNIFIERS])


def _write_field(locator: Locator | None) -> str | None:
    return write_xpath(locator) if locator else None
