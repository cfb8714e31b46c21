"""The progress of a long step before a crawl. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgressStep:
    """The progress of a long step.

    `doing` describes the step in words. `done` of its `of` units are finished; `unit` names one, such as "page".
    """

    doing: str
    unit: str
    done: int
    of: int


def untold(_: ProgressStep) -> None:
    """Ignore a progress step."""
