"""Limits the requests in flight, and records which requests these are. Pure."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

from hinterland.crawler.fetching.flow.window import Window

T = TypeVar("T", bound=Hashable)


class InFlightLimit(Generic[T]):
    """Allows as many requests in flight as a window has places."""

    def __init__(self, window: Window) -> None:
        """Start with no request in flight; `window` sets the limit."""
        self._window = window
        self._taken: set[T] = set()
        self.are_used_up = False
        """Whether the limit was reached at the last call of `has_free`."""

    def __len__(self) -> int:
        """Return the number of requests in flight."""
        return len(self._taken)

    @property
    def limit(self) -> int:
        """The number of requests that may be in flight now."""
        return self._window.places

    @property
    def are_at_most(self) -> bool:
        """Whether the limit cannot grow any further."""
        return self._window.is_at_most

    def has_free(self) -> bool:
        """Return whether another request may begin; `are_used_up` is set to the opposite."""
        self.are_used_up = len(self._taken) >= self._window.places
        return not self.are_used_up

    def take(self, holder: T) -> None:
        """Count a request as in flight, even if that exceeds the limit."""
        self._taken.add(holder)

    def give_back(self, holder: T) -> bool:
        """Stop counting a request as in flight, if it was counted; return whether it was."""
        before = len(self._taken)
        self._taken.discard(holder)
        return len(self._taken) < before
