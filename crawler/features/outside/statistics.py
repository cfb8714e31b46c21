"""The progress of sampling outside pages, as a value for displays, logs and the store. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class SamplingPhase(StrEnum):
    """The phase of a crawl: first the local domain is crawled; after that, only outside pages are fetched."""

    LOCAL = "local"
    HINTERLAND = "hinterland"


@dataclass(frozen=True, slots=True)
class HinterlandStatistics:
    """The progress of sampling outside pages.

    `pages_fetched` and `rounds` count all runs of the store; `waiting` counts outside pages that are admitted or
    chosen. `change` is the L1 distance of the last estimate from the previous one, and `disagreement` its L1 distance
    from the estimator that differs most; None if there is nothing to compare with. `error` is the estimate's likely L1
    distance from the truth, and `error_at_most` a bound that holds with a probability of 0.9. `outlook` is the likely
    distance after n, 2 n and 4 n more pages, for n local pages. All three are None if unknown. `unlike` names
    properties in which the crawl is unlike every crawl that these predictions were learnt from.
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
    unlike: Sequence[str] = ()
