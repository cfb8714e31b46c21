"""How much what counts for the order of hits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hinterland.crawler.settings import SearchSettings
from hinterland.search.ranking import RankWeights
from hinterland.search.site_rules import NO_RULES, BadRules, SiteRules, read_rules
from hinterland.search.store.values.term_query import TEXT_FIELDS, Boosts


@dataclass(frozen=True, slots=True)
class Scoring:
    """boosts: of the words in each field; weights: of the ranks, which come from `rank_source`; rules: the user's own
    for sites. first, most: how many candidates by text are looked at."""

    boosts: Boosts
    weights: RankWeights
    rank_source: str
    rules: SiteRules
    first: int
    most: int

    @classmethod
    def under(cls, settings: SearchSettings) -> Scoring:
        """Raises BadRules if the rules for sites cannot be read."""
        return cls(
            boosts={field: getattr(settings, f"{field}_boost") for field in TEXT_FIELDS},
            weights=RankWeights(settings.rank_weight, settings.rank_half, settings.rank_exponent),
            rank_source=settings.rank_source,
            rules=rules_in(settings.site_rules),
            first=settings.first_candidates,
            most=settings.most_candidates,
        )


def rules_in(path: str) -> SiteRules:
    """Raises BadRules."""
    if not path:
        return NO_RULES
    try:
        return read_rules(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadRules(f"the rules for sites in {path} cannot be read: {error}") from error
    except BadRules as error:
        raise BadRules(f"the rules for sites in {path} cannot be used: {error}") from None
