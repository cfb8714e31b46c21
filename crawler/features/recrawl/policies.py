"""The table of revisit policies. A policy sees the change rates and importance of pages as arrays, and nothing else."""

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
"""The revisit policies by name; the first is the default."""

DEFAULT_REVISIT_POLICY = next(iter(REVISIT_POLICIES))


def make_revisit_policy(name: str) -> RevisitPolicy:
    """Return a new policy by its name in REVISIT_POLICIES. Raises KeyError for an unknown name."""
    return REVISIT_POLICIES[name]()


__all__ = ["DEFAULT_REVISIT_POLICY", "REVISIT_POLICIES", "RevisitPolicy", "make_revisit_policy"]
