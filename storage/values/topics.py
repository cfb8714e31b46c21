"""What a crawl is about, and how relevant its pages are, as records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

RELEVANT: Final = 0.5
"""A page is about the topic of its crawl if that is likelier than not."""
_PLUG_IN: Final = b"plug-in:"


@dataclass(frozen=True, slots=True)
class TopicRecord:
    """What a focused crawl is about; replaces what was there. model: npz, the name of a classifier that is a plug-in
    after a mark, or None if content types are sought.
    """

    name: str
    model: bytes | None
    targets: Sequence[str] = ()

    @classmethod
    def by_plug_in(cls, name: str) -> TopicRecord:
        return cls(name, _PLUG_IN + name.encode())

    @property
    def plug_in(self) -> str:
        """The name of the classifier, if that is a plug-in, or ""."""
        if self.model is None or not self.model.startswith(_PLUG_IN):
            return ""
        return self.model.removeprefix(_PLUG_IN).decode(errors="replace")


@dataclass(frozen=True, slots=True)
class RelevanceRecord:
    """How relevant a visited page is. links: what its links say of themselves, packed but not compressed."""

    page: int
    probability: float
    links: bytes | None = None


@dataclass(frozen=True, slots=True)
class JudgementRecord:
    """How relevant a visited page is after all; what its links say of themselves stays."""

    page: int
    probability: float


@dataclass(frozen=True, slots=True)
class LearntRecord:
    """When the policy of a crawl with a topic last learnt; replaces what was there. pages: how many were known."""

    visit: int
    pages: int


@dataclass(frozen=True, slots=True)
class DrawRecord:
    """A page that was drawn by lot among all that waited, and visited: what had been promised of it, what it was worth,
    and at which visit its promise alone would have brought it.
    """

    page: int
    promise: float
    worth: float
    turn: int
