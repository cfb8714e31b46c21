"""How many pages outside are fetched, and when the crawl has seen enough of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings import texts
from hinterland.crawler.settings.rules import Complaint, SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class HinterlandSettings(SettingsSection):
    """How many pages outside the local domain are fetched to estimate what the whole web would say of the
    domain's own: their global PageRank (Davis & Dhillon, KDD 2006). The policy chooses them, round by round.
    """

    name_in_file: ClassVar[str] = "hinterland"

    budget: str = setting(
        "0",
        'pages, or a multiple of the local ones: "1.0", "2n"',
        "By default nothing outside is fetched. The paper spends as many pages as the domain has, or twice as many.",
        check=texts.check_hinterland_budget,
        option="--hinterland",
    )
    refresh_pages: int = setting(
        0,
        "pages",
        "So many make a round. After each the estimate is computed anew and the next pages are chosen by what the"
        " last ones taught. A fixed number of rounds, and not of pages, keeps that affordable for a large domain and"
        " leaves a small one a history to look at.",
        minimum=0,
        special="0: a 25th of the budget",
        option="--refresh-pages",
    )
    until_change: float = setting(
        0.0,
        "L1 distance",
        "The crawl ends when the estimate, which sums to 1, changed less than this in two rounds running: one"
        " may have met pages that say nothing of the domain. Rounds that fetched fewer pages than they should, or"
        " fewer than five, are joined with the next. Else it ends when the budget is used up.",
        minimum=0,
        maximum=2,
        special="0: never",
        option="--until-change",
    )
    until_error: float = setting(
        0.0,
        "L1 distance",
        "The crawl ends when the predicted distance of the estimate from the truth is less than this. It is a"
        " prediction: docs/policies.md says how often it was right. Else it ends when the budget is used up.",
        minimum=0,
        maximum=2,
        special="0: never",
        option="--until-error",
    )
    share: float = setting(
        0.0,
        "share of pages",
        "Outside pages come while the domain is still being crawled, and make up this share. By default the"
        " domain is crawled first: the more is known of it, the better the choice.",
        minimum=0,
        maximum=0.9,
        special="0: the domain first",
        option="--hinterland-share",
    )
    estimator: str = setting(
        "",
        "name of an estimator",
        "What the graph of a crawl says of the whole web's PageRank depends on what is assumed of the pages not"
        " fetched. The others are computed, too, to tell how far they disagree.",
        special="empty: the program's choice",
    )

    def _check_together(self) -> None:
        if not self.budget:
            raise Complaint('budget = "": write "0" for none')
