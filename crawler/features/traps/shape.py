"""Counts what visits to the pages of one URL shape bring, and judges whether the shape looks endless. Pure.

A space of URLs is practically endless if it breeds and repeats: its URLs are found at least as fast as they are
visited, and hardly any visit brings something new. If the text of its pages does not reveal a space as a trap, its
budget follows IRLbot (Lee, Leonard, Wang & Loguinov, "IRLbot: scaling to 6 billion pages and beyond", WWW 2008), where
links from elsewhere earn a budget.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hinterland.crawler.features.traps.url_shapes import as_pattern

WINDOW: Final = 64
"""How many recent visits a shape is judged by."""
_FIRST = WINDOW // 2
_ALL = (1 << WINDOW) - 1
FEW_NEW: Final = 6
"""If at most this many visits of a window brought something new, the shape repeats. (A share of 0.1, estimated from 64
visits, has a standard error of 0.04.)
"""
SOME_NEW: Final = 16
"""If at least this many visits of a window brought something new, a shape that repeated no longer does."""
_HEALTHY = 40
_NEAR = 0.9
_NOISE = 8
_LATELY = 3
_MANY = 1000
_FEW_LINKED_AGAIN = 3
_REWARD = 3  # so that SOME_NEW visits outweigh the rest of a window
_PATIENCE_FOR_NEW = 4
_CREDIT = 4  # one visit that brings nothing new per this many before
_GRANTS = 16
_SPLITS = 3


class Suspicion(StrEnum):
    """Why a shape is slowed down."""

    REPEATS = "repeats"
    """New URLs keep coming, and nearly all pages say what other pages of the host have said."""
    BREEDS = "breeds"
    """New URLs come ever faster, each linked only once, from a page of the same shape."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The gain of one visit.

    `is_new` says whether the page said something new for its host; None if this was not examined. `is_linked_once` says
    that only one page was known to link to it.
    """

    is_new: bool | None
    is_linked_once: bool


class Shape:
    """A node of the tree of a host's URL shapes. It stands for all URLs below it. Mutable.

    `chain` holds the shape and the shapes that contain it, up to the host's root. `visits` counts pages that were read.
    `backlog` is the number of URLs found minus the number done, since the shape became known. `spent` counts the visits
    that brought nothing new while the shape was slowed down. `earned` is how many more such visits it may make, because
    other visits brought something new. `marks` holds (visits, backlog) at two earlier times, the later time first.
    `grants` counts how often the shape was granted more visits because it was nearly used up.
    """

    __slots__ = (
        "backlog", "chain", "children", "earned", "grants", "high_at", "linked_once", "marks", "news", "parent", "peak",
        "spent", "splits", "step", "suspicion", "visits",
    )  # fmt: skip

    def __init__(self, step: str, parent: Shape | None) -> None:
        """Start the shape `step` below `parent`, which is None for the root of a host."""
        self.step = step
        self.parent = parent
        self.chain: tuple[Shape, ...] = (self, *(parent.chain if parent is not None else ()))
        self.children: dict[str, Shape] | None = None
        self.visits = 0
        self.backlog = 0
        self.peak = 0  # of the backlog
        self.high_at = 0  # visits when it was last near its peak
        self.news = _ALL  # one bit per visit examined
        self.linked_once = 0
        self.suspicion: Suspicion | None = None
        self.spent = 0
        self.earned = 0
        self.splits = 0
        self.marks = (0, 0), (0, 0)
        self.grants = 0

    def visited(self, gain: Gain) -> None:
        """Count a visit to a page of this shape."""
        self.visits += 1
        if gain.is_new is not None:
            self.news = (self.news << 1 | gain.is_new) & _ALL
        self.linked_once = (self.linked_once << 1 | gain.is_linked_once) & _ALL
        if self.visits - self.marks[0][0] >= 2 * WINDOW:
            self.marks = (self.visits, self.backlog), self.marks[0]
        if self.backlog > self.peak:
            self.peak = self.backlog
        if self.backlog >= _NEAR * self.peak - _NOISE:
            self.high_at = self.visits
        if self.suspicion is Suspicion.BREEDS or (self.suspicion is not None and gain.is_new is False):
            self.spent += 1
        elif self.suspicion is not None and gain.is_new:
            self.earned += _REWARD

    def judge(self) -> Suspicion | None:
        """Return why the last visits suggest that the shape is endless; None if they do not.

        A shape that is slowed down remains so until its visits clearly show that it is not endless.
        """
        if self.parent is None or not self.is_growing:  # a whole host must not pay for a part of it
            return None
        if self.suspicion is not None:
            return self._suspicion_by(SOME_NEW)
        found = self._suspicion_by(FEW_NEW)
        return None if found is not None and self._has_culprit() else found

    def _suspicion_by(self, few: int) -> Suspicion | None:
        if self.news.bit_count() <= few:
            return Suspicion.REPEATS
        is_linked_once = WINDOW - self.linked_once.bit_count() <= _FEW_LINKED_AGAIN
        if is_linked_once and self.visits >= _MANY and self.backlog >= self.visits // 2:
            return Suspicion.BREEDS
        return None

    def _has_culprit(self) -> bool:
        """Return whether one part of the shape got most of the visits, so that it will soon be slowed down instead.

        A part that has slowed parts does not count.
        """
        parts = (self.children or {}).values()
        return any(2 * part.visits > self.visits and not part.has_slowed_parts() for part in parts)

    def has_slowed_parts(self) -> bool:
        """Return whether this shape or one below it is slowed down."""
        if self.suspicion is not None:
            return True
        return any(part.has_slowed_parts() for part in (self.children or {}).values())

    @property
    def is_healthy(self) -> bool:
        """Whether far more than half of the last examined visits brought something new."""
        return self.news.bit_count() >= _HEALTHY

    @property
    def is_growing(self) -> bool:
        """Whether URLs of the shape are found at least as fast as they are visited.

        The backlog of an endless space returns to its peak now and then. The backlog of a real site shrinks once most
        of its URLs are known. A shape that was granted visits because it was nearly used up counts as growing from then
        on.
        """
        if self.grants:
            return True
        return self.visits >= _FIRST and self.visits - self.high_at <= max(WINDOW, self.visits // _LATELY)

    def runs_out(self, patience: int, kin: Iterable[Shape] = ()) -> bool:
        """Return whether the shape has used up its budget.

        `patience` is the number of visits that may bring nothing new, -1 for no limit. `kin` holds other shapes that
        share the budget. A shape of which nearly all URLs seem to be visited is granted enough visits for all its
        waiting pages, and again if more are found.
        """
        if self.suspicion is None or patience < 0:
            return False
        visits, spent, earned = self.visits, self.spent, self.earned
        for other in kin:
            visits, spent, earned = visits + other.visits, spent + other.spent, earned + other.earned
        if self.suspicion is Suspicion.BREEDS:
            limit = patience * _PATIENCE_FOR_NEW
        else:
            limit = max(patience, (visits - spent) // _CREDIT)
        if spent < limit + earned:
            return False
        if self._is_used_up and self.grants < _GRANTS:
            self.grants += 1
            self.earned += self.backlog + WINDOW
            return False
        return True

    @property
    def _is_used_up(self) -> bool:
        """Whether the backlog has shrunk by at least one for every two of the last visits.

        A shape that is used up is not endless, however similar its pages are.
        """
        visits, backlog = self.marks[1]
        since = self.visits - visits
        return since >= WINDOW and 2 * (backlog - self.backlog) >= since

    def restore(self, suspicion: Suspicion, visits: int, spent: int, earned: int) -> None:
        """Restore the statistics of an earlier run, in which the shape was slowed down."""
        self.suspicion, self.visits, self.spent, self.earned = suspicion, visits, spent, earned
        self.high_at = visits
        self.marks = (visits, 0), (visits, 0)
        if suspicion is Suspicion.REPEATS:
            self.news = 0
        else:
            self.linked_once, self.backlog, self.peak = _ALL, visits, visits

    def take_over(self, spent: int, earned: int) -> None:
        """Start with what parts of the shape have spent and earned, because the whole shape is slowed down now."""
        if spent - earned > self.spent - self.earned:
            self.spent, self.earned = spent, earned

    def forgive(self) -> None:
        """Judge the shape by later visits only, because a part that is slowed down now accounts for the last ones.

        This is done only a few times, because a shape with many slowed parts is itself one endless space.
        """
        if self.splits < _SPLITS:
            self.splits += 1
            self.news = _ALL

    def steps(self) -> list[str]:
        """Return the steps of the shape, from the root of the host (see `url_shapes.steps_of`)."""
        steps: list[str] = []
        node = self
        while node.parent is not None:
            steps.append(node.step)
            node = node.parent
        return steps[::-1]

    def pattern(self) -> str:
        """Return the shape as it is shown, see `url_shapes.as_pattern`."""
        return as_pattern(self.steps(), has_parts=bool(self.children))
