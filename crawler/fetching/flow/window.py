"""How many requests may be under way, found by trying: as TCP finds how much a path carries. Pure.

It begins small and doubles with each round of answers, as long as all places are taken (slow start). After the first
sign of congestion it shrinks, and from then on it grows by a few places a round (additive increase, multiplicative
decrease: Jacobson 1988; Chiu & Jain 1989).
"""

from __future__ import annotations

from math import inf


class Window:
    """places: the number at the moment, a whole one between `least` and `most`.

    first: places at the beginning. doubles: whether it begins by doubling. step: places by which it grows in a round of
    answers once it has shrunk, or by this share of all if that is more. pause_seconds: it shrinks at most once in so
    long, as what is under way then says nothing new.
    """

    def __init__(
        self,
        *,
        first: int,
        least: int,
        most: int,
        doubles: bool = True,
        step: float = 4.0,
        share: float = 0.0,
        pause_seconds: float = 1.0,
    ) -> None:
        self._least = least
        self._most = max(most, least)
        self._size = float(min(first, self._most))
        self._step = step
        self._share = share
        self._pause = pause_seconds
        self._shrank_at = -inf
        self._is_starting = doubles

    @property
    def places(self) -> int:
        return int(self._size)

    @property
    def is_at_most(self) -> bool:
        """Whether it may not grow any more."""
        return self._size >= self._most

    def grow(self) -> None:
        """A request was answered while all places were taken."""
        more = 1.0 if self._is_starting else max(self._step / self._size, self._share)
        self._size = min(self._size + more, self._most)

    def shrink(self, factor: float, now: float, *, ends_start: bool = True) -> bool:
        """There is congestion: go on with a part of the places. Returns whether that was done, and not too soon.
        ends_start: whether it grows slowly from now on.
        """
        if now - self._shrank_at < self._pause:
            return False
        self._shrank_at = now
        self._is_starting = self._is_starting and not ends_start
        self._size = max(self._size * factor, self._least)
        return True
