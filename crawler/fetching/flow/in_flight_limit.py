"""Which requests are in flight, within a limit. Pure."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

from hinterland.crawler.fetching.flow.window import Window

T = TypeVar("T", bound=Hashable)


class InFlightLimit(Generic[T]):
    """Allows as many requests in flight as a window has places. A request may be given back twice: it counts once."""

    def __init__(self, window: Window) -> None:
        """Start with none in flight; `window` says how many may be."""
        self._window = window
        self._taken: set[T] = set()
        self.are_used_up = False
        """Whether the limit was reached the last time that `has_free` was called."""

    def __len__(self) -> int:
        """Return the number in flight."""
        return len(self._taken)

    @property
    def limit(self) -> int:
        """How many may be in flight now."""
        return self._window.places

    @property
    def are_at_most(self) -> bool:
        """Whether the limit cannot grow any further."""
        return self._window.is_at_most

    def has_free(self) -> bool:
        """Return whether another request may begin; if not, that is noted."""
        self.are_used_up = len(self._taken) >= self._window.places
        return not self.are_used_up

    def take(self, holder: T) -> None:
        """Count a request as in flight, even beyond the limit."""
        self._taken.add(holder)

    def give_back(self, holder: T) -> bool:
        """Count a request as in flight no more; returns whether it was."""
        before = len(self._taken)
        self._taken.discard(holder)
        return len(self._taken) < before
