"""The topic of a crawl and the relevance of its pages, as records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

RELEVANT: Final = 0.5
"""A page counts as on topic from this probability on."""
_PLUG_IN: Final = b"plug-in:"


@dataclass(frozen=True, slots=True)
class TopicRecord:
    """The topic of a focused crawl. It replaces the previous topic.

    `model` is an npz file or, for a plug-in classifier, a marker followed by its name; None if the crawl looks for
    content types.
    """

    name: str
    model: bytes | None
    targets: Sequence[str] = ()

    @classmethod
    def by_plug_in(cls, name: str) -> TopicRecord:
        """Return the topic of a plug-in classifier."""
        return cls(name, _PLUG_IN + name.encode())

    @property
    def plug_in(self) -> str:
        """The name of the plug-in classifier; "" if there is none."""
        if self.model is None or not self.model.startswith(_PLUG_IN):
            return ""
        return self.model.removeprefix(_PLUG_IN).decode(errors="replace")


@dataclass(frozen=True, slots=True)
class RelevanceRecord:
    """The relevance of a visited page; `links` holds the features of its links, packed but not compressed."""

    page: int
    probability: float
    links: bytes | None = None


@dataclass(frozen=True, slots=True)
class JudgementRecord:
    """A corrected relevance of a visited page. The stored features of its links stay as they are."""

    page: int
    probability: float


@dataclass(frozen=True, slots=True)
class LearntRecord:
    """When the policy of a topical crawl last learnt, as a visit number, and from how many pages.

    It replaces the previous record.
    """

    visit: int
    pages: int


@dataclass(frozen=True, slots=True)
class DrawRecord:
    """A page of the exploration sample that was visited.

    `promise` is its predicted relevance and `worth` its actual relevance. `turn` is the number of the visit at which it
    would have been chosen by its prediction alone.
    """

    page: int
    promise: float
    worth: float
    turn: int
