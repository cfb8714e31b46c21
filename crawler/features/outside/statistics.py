"""How far the hinterland of a crawl is, as a value for displays, logs and the store. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class SamplingPhase(StrEnum):
    LOCAL = "local"
    HINTERLAND = "hinterland"


@dataclass(frozen=True, slots=True)
class HinterlandStatistics:
    """pages_fetched, rounds: of the store, all runs together; waiting: pages outside that are admitted, or chosen.

    change, disagreement: of the last estimate (L1), None if there is none to compare with. error: what it probably is
    from the truth (L1), and error_at_most what that stays below nine times in ten; outlook: what it will probably be
    with n, 2 n and 4 n pages more, n being the local ones. None where nobody knows.
    """

    phase: str
    pages_fetched: int
    budget: int
    waiting: int
    rounds: int
    estimator: str
    change: float | None
    disagreement: float | None
    error: float | None = None
    error_at_most: float | None = None
    outlook: Sequence[float] | None = None
