"""The progress of a long step before or after a crawl. Pure."""

from __future__ import annotations

from dataclasses import dataclass

INDEXING = "building the index of inlinks"
"""The step that follows a crawl; interrupting it loses nothing."""


@dataclass(frozen=True, slots=True)
class ProgressStep:
    """The progress of a long step: `doing` describes it, and `done` of `of` units, such as "page", are finished."""

    doing: str
    unit: str
    done: int
    of: int


def untold(_: ProgressStep) -> None:
    """Ignore a progress step."""


__all__ = ["INDEXING", "ProgressStep", "untold"]
