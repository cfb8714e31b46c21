"""A link that all bodies under way share equally, as TCP shares it on average. Pure.

Each body gets 1/n of the link while n are under way. One clock counts the bytes that each of them has had so far: a
body that comes when it stands at b has passed when it stands at b + its size, whatever else comes and goes meanwhile.
"""

from __future__ import annotations

from heapq import heappop, heappush


class SharedLink:
    """Bodies are numbers. bytes_a_second: of the link."""

    def __init__(self, bytes_a_second: float) -> None:
        """Start idle, at time 0."""
        self._rate = bytes_a_second
        self._had = 0.0  # bytes, by each body under way
        self._at = 0.0
        self._under_way: list[tuple[float, int]] = []

    def begin(self, body: int, size: float, now: float) -> None:
        """Let a body begin; times never go back."""
        self._go_on(now)
        heappush(self._under_way, (self._had + size, body))

    def next_end(self) -> float | None:
        """When the next body will have passed if no other begins; None if there is none."""
        if not self._under_way:
            return None
        return self._at + max(self._under_way[0][0] - self._had, 0.0) * len(self._under_way) / self._rate

    def ended(self, now: float) -> int:
        """Take away the body whose end was `next_end`, and return it."""
        self._go_on(now)
        return heappop(self._under_way)[1]

    def _go_on(self, now: float) -> None:
        if self._under_way:
            self._had += (now - self._at) * self._rate / len(self._under_way)
        self._at = now
