"""What a build of an index did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a build did."""

    documents: int
    """In the index now."""
    written: int
    unchanged: int
    removed: int
    folded: Mapping[str, int]
    """Pages that are no documents of their own, and anchor texts left out, by reason."""
    extractions: Mapping[str, int]
    """How the main content was found, by pages."""
    languages: Mapping[str, int]
    """Documents written, by language."""
    unstemmed: Mapping[str, int]
    """Of these, those whose language has a stemmer but no fields in this index."""
    estimator: str
    """Whose PageRank estimate; "" if nothing could be ranked."""
    size_bytes: int
    seconds: float
    cut: int = 0
    """Documents written whose title or description is longer than what is indexed of it."""
