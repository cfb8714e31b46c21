"""Who holds a place among the requests under way. Pure."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

from hinterland.crawler.fetching.flow.window import Window

T = TypeVar("T", bound=Hashable)


class InFlightLimit(Generic[T]):
    """Hands out as many places as a window has. A place may be given back twice: it counts once."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._taken: set[T] = set()
        self.are_used_up = False
        """Whether there was none the last time that somebody asked for a place."""

    def __len__(self) -> int:
        """The number of places that are taken."""
        return len(self._taken)

    @property
    def limit(self) -> int:
        """Places there are now, free or not."""
        return self._window.places

    @property
    def are_at_most(self) -> bool:
        """Whether there cannot be more places."""
        return self._window.is_at_most

    def has_free(self) -> bool:
        """Whether a place is free; if not, that is noted."""
        self.are_used_up = len(self._taken) >= self._window.places
        return not self.are_used_up

    def take(self, holder: T) -> None:
        self._taken.add(holder)

    def give_back(self, holder: T) -> bool:
        """Give back the place of a holder; returns whether it still had one."""
        had_one = holder in self._taken
        self._taken.discard(holder)
        return had_one
