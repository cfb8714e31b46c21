"""The weights that determine the order of hits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hinterland.crawler.settings import SearchSettings
from hinterland.search.ranking import RankWeights
from hinterland.search.site_rules import NO_RULES, BadSiteRules, SiteRules, read_rules
from hinterland.search.store.values.term_query import NAMES, WORDS, Boosts

BOOSTS: Final[Boosts] = {
    WORDS: 2.0,
    NAMES: 1.0,
    "title": 1.5,
    "headings": 0.75,
    "anchors_outside": 1.0,
    "anchors_inside": 0.75,
    "url": 0.5,
    "description": 0.25,
    "body": 0.75,
    "rest": 0.1,
    "definitions": 3.0,
}
"""Factors of the scores of fields. Three are factors of BM25: for the field of all words, for the texts that name a
page, and for the rest of the visible text, where words say little. The others are factors of the weight of an
identifier that occurs in the field: `asyncio.gather` is best found where it is defined. docs/search.md says how they
were chosen."""

RANK_HALF: Final = 1.0
"""The PageRank, in multiples of the average, at which a page gets half of the maximum that PageRank can add."""

RANK_EXPONENT: Final = 0.6
"""How sharply the PageRank part rises around RANK_HALF."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """How many of the pages with the best text scores are considered.

    The search begins with `first` pages, and then takes 32 times as many, and so on, until no other page can be
    better or `most` pages are reached. In the latter case the answer is marked as possibly inexact.
    """

    first: int = 200
    most: int = 20_000


CANDIDATES: Final = Candidates()


@dataclass(frozen=True, slots=True)
class Scoring:
    """The weights of a search.

    `boosts` are the factors of fields. `weights` are the weights of the ranks, which come from `rank_source`. `rules`
    are the user's site rules.
    """

    boosts: Boosts
    weights: RankWeights
    rank_source: str
    rules: SiteRules
    candidates: Candidates

    @classmethod
    def under(cls, settings: SearchSettings, candidates: Candidates = CANDIDATES) -> Scoring:
        """Return the scoring under these settings.

        Raises BadSiteRules if the site rules cannot be read.
        """
        return cls(
            boosts=BOOSTS,
            weights=RankWeights(settings.rank_weight, RANK_HALF, RANK_EXPONENT),
            rank_source=settings.rank_source,
            rules=rules_in(settings.site_rules),
            candidates=candidates,
        )


def rules_in(path: str) -> SiteRules:
    """Return the site rules in a file, none if `path` is empty.

    Raises BadSiteRules.
    """
    if not path:
        return NO_RULES
    try:
        return read_rules(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadSiteRules(f"the site rules in {path} cannot be read: {error}") from error
    except BadSiteRules as error:
        raise BadSiteRules(f"the site rules in {path} cannot be used: {error}") from None
