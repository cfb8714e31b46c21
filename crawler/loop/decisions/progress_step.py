"""What takes long before or after a crawl, and how far it is. Pure."""

from __future__ import annotations

from dataclasses import dataclass

INDEXING = "building the index of inlinks"
"""Done when the crawl has ended: to interrupt it loses nothing."""


@dataclass(frozen=True, slots=True)
class ProgressStep:
    """doing: in words; done, of: how many `unit`s ("page") of how many."""

    doing: str
    unit: str
    done: int
    of: int


def untold(_: ProgressStep) -> None:
    """For those who tell nobody."""


__all__ = ["INDEXING", "ProgressStep", "untold"]
