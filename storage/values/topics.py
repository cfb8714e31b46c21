"""What a crawl is about, and how relevant its pages are, as records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TopicRecord:
    """What a focused crawl is about; replaces what was there. model: npz, or None if content types are sought."""

    name: str
    model: bytes | None
    targets: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RelevanceRecord:
    """How relevant a visited page is. links: what its links say of themselves, packed but not compressed."""

    page: int
    probability: float
    links: bytes | None = None


@dataclass(frozen=True, slots=True)
class LearntRecord:
    """When the policy of a crawl with a topic last learnt; replaces what was there. pages: how many were known."""

    visit: int
    pages: int
