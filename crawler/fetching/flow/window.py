"""How many requests may be in flight, found by trial, as TCP finds the capacity of a path. Pure.

The window begins small and, while it is used up, doubles with each round of answers (slow start). After the first sign
of congestion it shrinks, and from then on it grows by a few places a round (additive increase, multiplicative decrease:
Jacobson 1988; Chiu & Jain 1989).
"""

from __future__ import annotations

from math import inf


class Window:
    """How many requests may be in flight (places): grows with answers, shrinks with congestion, between two bounds."""

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
        """Start with `first` places, but at most `most`; there are always at least `least` places.

        `doubles` says whether the window begins by doubling. After it has shrunk, it grows in each round of answers by
        `step` places, or by the fraction `share` of all places if that is more. It shrinks at most once in
        `pause_seconds`, because requests already in flight then bring no new evidence.
        """
        self._least = least
        self._most = max(most, least)
        self._size = float(min(first, self._most))
        self.places = int(self._size)
        """The number of places, rounded down."""
        self._step = step
        self._share = share
        self._pause = pause_seconds
        self._shrank_at = -inf
        self._is_starting = doubles

    @property
    def is_at_most(self) -> bool:
        """Whether the window cannot grow any further."""
        return self._size >= self._most

    def grow(self) -> None:
        """Grow, because a request was answered while all places were taken."""
        more = 1.0 if self._is_starting else max(self._step / self._size, self._share)
        self._resize(min(self._size + more, self._most))

    def shrink(self, factor: float, now: float, *, ends_start: bool = True) -> bool:
        """Multiply the places by `factor` because of congestion; return whether this was done.

        Nothing is done if the window shrank a moment ago. `ends_start` says whether the window grows slowly from now
        on.
        """
        if now - self._shrank_at < self._pause:
            return False
        self._shrank_at = now
        self._is_starting = self._is_starting and not ends_start
        self._resize(max(self._size * factor, self._least))
        return True

    def _resize(self, size: float) -> None:
        self._size = size
        self.places = int(size)
