"""The progress of sampling pages outside, as a value for displays, logs and the store. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class SamplingPhase(StrEnum):
    """Whether the local domain is being crawled, or only pages outside."""

    LOCAL = "local"
    HINTERLAND = "hinterland"


@dataclass(frozen=True, slots=True)
class HinterlandStatistics:
    """The progress of sampling pages outside.

    `pages_fetched` and `rounds` count all runs of the store; `waiting` counts pages outside that are admitted or
    chosen. `change` and `disagreement` are those of the last estimate (L1), None if there is nothing to compare with.
    `error` is its likely distance from the truth (L1), `error_at_most` the bound it stays below nine times in ten, and
    `outlook` the likely distance after n, 2 n and 4 n more pages, n being the number of local ones. They are None where
    unknown.
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
