"""The report of an index build."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a build did."""

    documents: int
    """Number of documents now in the index."""
    written: int
    unchanged: int
    removed: int
    folded: Mapping[str, int]
    """Pages folded into other documents, and anchor texts left out, by reason."""
    extractions: Mapping[str, int]
    """Number of pages by how their main content was found."""
    languages: Mapping[str, int]
    """Documents written, by language."""
    unstemmed: Mapping[str, int]
    """The languages of `languages` that have a stemmer, but no fields of their own in this index."""
    estimator: str
    """The estimator of PageRank; "" if nothing could be ranked."""
    size_bytes: int
    seconds: float
    cut: int = 0
    """Documents written whose title or description was shortened."""
