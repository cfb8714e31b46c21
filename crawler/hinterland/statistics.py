"""How far the hinterland of a crawl is, as a value for displays, logs and the store. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    LOCAL = "local"
    HINTERLAND = "hinterland"


@dataclass(frozen=True, slots=True)
class HinterlandStatistics:
    """pages_fetched, rounds: of the store, all runs together; waiting: pages outside that are admitted, or chosen.

    change, disagreement: of the last estimate (L1), None if there is none to compare with.
    """

    phase: str
    pages_fetched: int
    budget: int
    waiting: int
    rounds: int
    estimator: str
    change: float | None
    disagreement: float | None
