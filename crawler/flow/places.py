"""Who holds a place among the requests under way. Pure."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

from crawler.flow.window import Window

T = TypeVar("T", bound=Hashable)


class Places(Generic[T]):
    """Hands out as many places as a window has; a holder takes a whole one, or a part of it."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._taken: dict[T, float] = {}
        self._sum = 0.0
        self.are_used_up = False
        """Whether there was none the last time that somebody asked for a place."""

    def __len__(self) -> int:
        """The number of holders."""
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
        self.are_used_up = self._sum >= self._window.places
        return not self.are_used_up

    def take(self, holder: T, part: float = 1.0) -> None:
        self._taken[holder] = part
        self._sum += part

    def give_back(self, holder: T) -> bool:
        """End a place; whether the holder still had it."""
        part = self._taken.pop(holder, None)
        if part is None:
            return False
        self._sum = self._sum - part if self._taken else 0.0
        return True
