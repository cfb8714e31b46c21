"""How much what counts for the order of hits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hinterland.crawler.settings import SearchSettings
from hinterland.search.ranking import RankWeights
from hinterland.search.site_rules import NO_RULES, BadSiteRules, SiteRules, read_rules
from hinterland.search.store.values.term_query import Boosts

BOOSTS: Final[Boosts] = {
    "title": 3.0,
    "headings": 1.5,
    "anchors_outside": 2.0,
    "anchors_inside": 1.5,
    "url": 1.0,
    "description": 0.5,
    "body": 1.0,
    "rest": 0.2,
    "definitions": 3.0,
}
"""How often the BM25 of a field counts. A title is chosen to say what the page is about, headings say what its parts
are about; what other hosts call it are nobody's own words; a description is written for searchers. The main content is
the measure for the others, and words in menus are little to go by. Where else should one look for `asyncio.gather`
than where it is defined? Weights that were learned on one corpus are no better on another: docs/ranking.md."""

RANK_HALF: Final = 1.0
"""A page of this PageRank, in multiples of the average, gets half of what PageRank can add."""

RANK_EXPONENT: Final = 0.6
"""How sharply that rises around there."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """How many of the best by text are looked at: `first`, then four times as many until no other page can be better,
    `most` in all. Where that is not enough, the answer says that it may not be exact.
    """

    first: int = 200
    most: int = 20_000


CANDIDATES: Final = Candidates()


@dataclass(frozen=True, slots=True)
class Scoring:
    """boosts: of the words in each field; weights: of the ranks, which come from `rank_source`; rules: the user's own
    for sites.
    """

    boosts: Boosts
    weights: RankWeights
    rank_source: str
    rules: SiteRules
    candidates: Candidates

    @classmethod
    def under(cls, settings: SearchSettings, candidates: Candidates = CANDIDATES) -> Scoring:
        """Raises BadRules if the rules for sites cannot be read."""
        return cls(
            boosts=BOOSTS,
            weights=RankWeights(settings.rank_weight, RANK_HALF, RANK_EXPONENT),
            rank_source=settings.rank_source,
            rules=rules_in(settings.site_rules),
            candidates=candidates,
        )


def rules_in(path: str) -> SiteRules:
    """Raises BadRules."""
    if not path:
        return NO_RULES
    try:
        return read_rules(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadSiteRules(f"the rules for sites in {path} cannot be read: {error}") from error
    except BadSiteRules as error:
        raise BadSiteRules(f"the rules for sites in {path} cannot be used: {error}") from None
