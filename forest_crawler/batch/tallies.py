"""Counts of a batch by site, and the report: which sites need a look.

All counts are integers, so that they add up to the same in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from forest_crawler.batch.site_plans import SitePlan
from forest_crawler.crawl.drift import has_drifted
from forest_crawler.crawl.jobs import PageResult

MIN_AGREEMENT = 0.8
"""Mean agreement of wrapper and page model below which a site needs a look: on most sites it is 0.9
and more. Either of the two may be wrong."""

_UNIT = 10_000
"""Agreement is added up in these parts of one."""

Tally = Counter[str]


def count_page(tally: Tally, page: PageResult) -> None:
    """Add what a page gave."""
    tally["pages"] += 1
    if page.article is None:
        kind = "failed" if page.is_failure else "skipped"
        tally[kind] += 1
        tally[f"{kind}/{page.reason}"] += 1
        return
    tally["articles"] += 1
    if page.is_fitted:
        tally["fitted"] += 1
    elif page.is_stated:
        tally["stated"] += 1
    if page.agreement is not None:
        tally["checked"] += 1
        tally["agreement"] += round(_UNIT * page.agreement)


def report_site(plan: SitePlan, tally: Mapping[str, int]) -> dict[str, Any]:
    """Make the report's row of a site; the same whether its wrappers were known or not."""
    checked = tally.get("checked", 0)
    agreement = round(tally.get("agreement", 0) / _UNIT / checked, 4) if checked else None
    reasons = {name.partition("/")[2]: n for name, n in sorted(tally.items()) if "/" in name}
    row = {
        "site": plan.site,
        "attention": _find_attention(plan, tally, agreement),
        "wrappers": len(plan.wrappers),
        "reason": plan.reason,
        "agreement": agreement,
    }
    names = ("pages", "articles", "fitted", "stated", "checked", "skipped", "failed")
    return row | {name: tally.get(name, 0) for name in names} | {"without_article": reasons}


def _find_attention(
    plan: SitePlan, tally: Mapping[str, int], agreement: float | None
) -> str | None:
    """Return why a site needs a look, if it does."""
    judged = tally.get("articles", 0) - tally.get("stated", 0)
    if not plan.wrappers:
        return "no-wrapper" if judged else None
    if has_drifted(tally.get("fitted", 0), judged):
        return "drift"
    if agreement is not None and agreement < MIN_AGREEMENT:
        return "low-agreement"
    return None
