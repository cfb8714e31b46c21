"""How far a crawl is that looks at its pages again. A value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RevisitStatistics:
    """looks: how many there were in this run, by Finding, and "new" for pages first read; left: pages that are still to
    be looked at."""

    looks: Mapping[str, int]
    left: int
