"""What a crawl has seen of the pages of one shape, and whether they look like an endless space. Pure.

A space is endless in effect when it breeds and repeats: as many new URLs of the shape are found as are visited, and
hardly one of those visited brings anything new. Budgets for what cannot be told from a trap by its text alone follow
IRLbot (Lee, Leonard, Wang & Loguinov, "IRLbot: scaling to 6 billion pages and beyond", WWW 2008), which lets links
from elsewhere earn them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hinterland.crawler.features.traps.url_shapes import as_pattern

WINDOW: Final = 64
"""Visits by which a shape is judged: the last ones."""
_FIRST = WINDOW // 2
_ALL = (1 << WINDOW) - 1
FEW_NEW: Final = 6
"""At most so many of the visits of a window brought something new: the shape repeats. The estimate of a share of
0.1 from 64 visits has a standard error of 0.04."""
SOME_NEW: Final = 16
"""From so many on a shape that repeated does not any more."""
_HEALTHY = 40
_NEAR = 0.9
_NOISE = 8
_LATELY = 3
_MANY = 1000
_FEW_LINKED_AGAIN = 3
_REWARD = 3  # what SOME_NEW of a window outweigh
_PATIENCE_FOR_NEW = 4
_CREDIT = 4  # a visit in vain for so many before
_GRANTS = 16
_SPLITS = 3


class Suspicion(StrEnum):
    """Why a shape is slowed down."""

    REPEATS = "repeats"
    """New URLs keep coming, and nearly all pages say what others of the host have said."""
    BREEDS = "breeds"
    """New URLs come ever faster, each with one link to it, a page of the shape's."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What one visit brought. is_new: something that the host had not said before, None if nobody looked;
    is_linked_once: no second page was known to link there.
    """

    is_new: bool | None
    is_linked_once: bool


class Shape:
    """A node of a tree of shapes; it stands for all URLs below it. Mutable.

    chain: itself and those it is part of, up to the host's root. visits: to pages that were read. backlog: URLs found,
    less those done with, since the shape is known. spent: visits in vain while it was slowed down; earned: those that
    it was forgiven for what it brought meanwhile. marks: visits and backlog some time ago, and some time before that.
    grants: how often it was let go on because it was being used up.
    """

    __slots__ = (
        "backlog", "chain", "children", "earned", "grants", "high_at", "linked_once", "marks", "news", "parent", "peak",
        "spent", "splits", "step", "suspicion", "visits",
    )  # fmt: skip

    def __init__(self, step: str, parent: Shape | None) -> None:
        self.step = step
        self.parent = parent
        self.chain: tuple[Shape, ...] = (self, *(parent.chain if parent is not None else ()))
        self.children: dict[str, Shape] | None = None
        self.visits = 0
        self.backlog = 0
        self.peak = 0  # of the backlog
        self.high_at = 0  # visits when it was last near its peak
        self.news = _ALL  # one bit a visit that was looked at
        self.linked_once = 0
        self.suspicion: Suspicion | None = None
        self.spent = 0
        self.earned = 0
        self.splits = 0
        self.marks = (0, 0), (0, 0)
        self.grants = 0

    def visited(self, gain: Gain) -> None:
        """Count a visit to a page below."""
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
        """What the last visits say. A shape stays slowed down until they say clearly that it is not endless."""
        if self.parent is None or not self.is_growing:  # a whole host is not to pay for a part of it
            return None
        if self.suspicion is not None:
            return self._looks(SOME_NEW)
        found = self._looks(FEW_NEW)
        return None if found is not None and self._has_culprit() else found

    def _looks(self, few: int) -> Suspicion | None:
        if self.news.bit_count() <= few:
            return Suspicion.REPEATS
        is_linked_once = WINDOW - self.linked_once.bit_count() <= _FEW_LINKED_AGAIN
        if is_linked_once and self.visits >= _MANY and self.backlog >= self.visits // 2:
            return Suspicion.BREEDS
        return None

    def _has_culprit(self) -> bool:
        """Whether most of its visits were to one part, which then will soon be slowed down instead of the whole: unless
        it is slowed down in parts already.
        """
        parts = (self.children or {}).values()
        return any(2 * part.visits > self.visits and not part.has_slowed_parts() for part in parts)

    def has_slowed_parts(self) -> bool:
        """Whether it or something below is slowed down."""
        if self.suspicion is not None:
            return True
        return any(part.has_slowed_parts() for part in (self.children or {}).values())

    @property
    def is_healthy(self) -> bool:
        """Whether far more than half of the last visits looked at brought something new."""
        return self.news.bit_count() >= _HEALTHY

    @property
    def is_growing(self) -> bool:
        """Whether URLs below are found at least as fast as they are visited: what waits of a space without end is, now
        and then, about as much as ever; what waits of a site becomes less once most of it is known. One that was let go
        on because it was being used up is watched to its end.
        """
        if self.grants:
            return True
        return self.visits >= _FIRST and self.visits - self.high_at <= max(WINDOW, self.visits // _LATELY)

    def runs_out(self, patience: int, kin: Iterable[Shape] = ()) -> bool:
        """Whether it may spend no more. patience: visits in vain, -1: any number. kin: others that spend the same.

        One that looks as if it were used up is granted as many as wait now; some times, in case more is found.
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
        """Whether what waits below has become less with at least every other of the last visits: however much its pages
        resemble each other, that has an end.
        """
        visits, backlog = self.marks[1]
        since = self.visits - visits
        return since >= WINDOW and 2 * (backlog - self.backlog) >= since

    def restore(self, suspicion: Suspicion, visits: int, spent: int, earned: int) -> None:
        """Take over what another run had seen of it."""
        self.suspicion, self.visits, self.spent, self.earned = suspicion, visits, spent, earned
        self.high_at = visits
        self.marks = (visits, 0), (visits, 0)
        if suspicion is Suspicion.REPEATS:
            self.news = 0
        else:
            self.linked_once, self.backlog, self.peak = _ALL, visits, visits

    def take_over(self, spent: int, earned: int) -> None:
        """It is slowed down as a whole now; what its parts have spent counts."""
        if spent - earned > self.spent - self.earned:
            self.spent, self.earned = spent, earned

    def forgive(self) -> None:
        """Judge it by later visits alone: a part of it that is slowed down now was to blame for the last ones. If that
        happens again and again, the parts are one space that has many shapes.
        """
        if self.splits < _SPLITS:
            self.splits += 1
            self.news = _ALL

    def steps(self) -> list[str]:
        """The steps from the root of the host."""
        steps: list[str] = []
        node = self
        while node.parent is not None:
            steps.append(node.step)
            node = node.parent
        return steps[::-1]

    def pattern(self) -> str:
        """The shape as it is shown, see `url_shapes.as_pattern`."""
        return as_pattern(self.steps(), has_parts=bool(self.children))
