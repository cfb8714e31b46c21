"""The table of revisit policies. They see change rates and importance as arrays; never URLs, hosts, clocks or SQL."""

from __future__ import annotations

from collections.abc import Callable

from hinterland.crawler.features.recrawl.index_order import Binary, Harmonic
from hinterland.crawler.features.recrawl.plain_order import ByChange, ByImportance, Uniform
from hinterland.crawler.features.recrawl.policy import RevisitPolicy

REVISIT_POLICIES: dict[str, Callable[[], RevisitPolicy]] = {
    "harmonic": Harmonic,
    "binary": Binary,
    "uniform": Uniform,
    "importance": ByImportance,
    "change": ByChange,
}
"""Name -> class. The first is the default."""

DEFAULT_REVISIT_POLICY = next(iter(REVISIT_POLICIES))


def make_revisit_policy(name: str) -> RevisitPolicy:
    """Return a new policy of REVISIT_POLICIES. Raises KeyError for any other name."""
    return REVISIT_POLICIES[name]()


__all__ = ["DEFAULT_REVISIT_POLICY", "REVISIT_POLICIES", "RevisitPolicy", "make_revisit_policy"]
