"""How many outside pages are fetched, and when the crawl has seen enough of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from hinterland.crawler.features.outside.budget import HinterlandBudget
from hinterland.crawler.settings.rules import Complaint, SettingsSection, setting

LEAST_UNTIL_ERROR: Final = 0.2
"""The smallest limit of the error that may be set: `least` in analysis/estimates/error_constants.py."""


def check_budget(text: str) -> None:
    """Check that a text is a budget of outside pages; see HinterlandBudget."""
    try:
        HinterlandBudget.parse(text)
    except ValueError as error:
        raise Complaint(str(error)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class HinterlandSettings(SettingsSection):
    """Pages outside the local domain, fetched to estimate the global PageRank of the domain's pages.

    The method is that of Davis & Dhillon (KDD 2006). The policy chooses these pages, round by round.
    """

    name_in_file: ClassVar[str] = "hinterland"
    is_kept: ClassVar[bool] = True

    budget: str = setting(
        "0",
        'pages, or a multiple of the local ones: "1.0", "2n"',
        "How many outside pages to fetch. By default, none are fetched. The paper uses as many as the domain has "
        "pages, or twice as many.",
        check=check_budget,
        option="--hinterland",
    )
    refresh_pages: int = setting(
        0,
        "pages",
        "Outside pages per round. After each round the estimate is recomputed, and the next pages are chosen by the "
        "new results. By default the number of rounds is fixed, not their size. So large domains stay affordable, and "
        "small ones still get several rounds.",
        minimum=0,
        special="0: a 25th of the budget",
        option="--refresh-pages",
    )
    until_change: float = setting(
        0.0,
        "L1 distance",
        "End the crawl when the estimate, which sums to 1, has changed by less than this in two rounds in a row. One "
        "round is not enough, since its pages may say nothing about the domain. A round that fetched fewer pages than "
        "planned, or fewer than five, counts together with the next round. Without this, the crawl ends when the "
        "budget is used up.",
        minimum=0,
        maximum=2,
        special="0: never",
        option="--until-change",
    )
    until_error: float = setting(
        0.0,
        "L1 distance",
        "End the crawl when the estimate's distance from the truth is at most this with a probability of 0.9. "
        "docs/estimates.md says on which webs this probability was right. The crawl first fetches as many outside "
        "pages as the domain has. Very small limits are refused, because no crawl can tell that its error is so "
        "small. Without this, the crawl ends when the budget is used up.",
        minimum=0,
        maximum=2,
        special=f"0: never; else at least {LEAST_UNTIL_ERROR:g}",
        option="--until-error",
    )
    share: float = setting(
        0.0,
        "share of pages",
        "Share of outside pages among all fetched pages while the domain is still being crawled. By default the "
        "domain is crawled first: the more is known about it, the better the choice of outside pages.",
        minimum=0,
        maximum=0.9,
        special="0: the domain first",
        option="--hinterland-share",
    )
    estimator: str = setting(
        "",
        "name of an estimator",
        "How PageRank on the whole web is estimated from the graph of the crawl. Estimators differ in what they "
        "assume about the pages not fetched. The other estimators are computed too, to show how far they disagree.",
        special="empty: chosen by the program",
    )

    def _check_together(self) -> None:
        if not self.budget:
            raise Complaint('budget = "": write "0" for none')
        if 0 < self.until_error < LEAST_UNTIL_ERROR:
            raise Complaint(
                f"until_error = {self.until_error:g}: no crawl can tell that its error is below {LEAST_UNTIL_ERROR:g}; "
                "set 0 for no limit, or a larger number"
            )
