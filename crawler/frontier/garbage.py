"""Frees objects in portions, because freeing all of them in one step would take long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Garbage:
    """Holds containers of many small objects to which nothing else refers, and frees them in portions."""

    def __init__(self, *containers: list[Any] | dict[Any, Any]) -> None:
        """Take over the containers; nothing else may use them any more."""
        self._containers = [container for container in containers if container]

    def add(self, other: Garbage) -> None:
        """Take over the containers of another Garbage."""
        self._containers += other._containers

    def parts(self, count: int) -> Iterator[None]:
        """Free `count` elements in each step of this iterator, until none are left."""
        while self._free(count):
            yield

    def _free(self, count: int) -> bool:
        """Free up to `count` elements; return whether any are left."""
        while count > 0 and self._containers:
            container = self._containers[-1]
            here = min(count, len(container))
            if isinstance(container, list):
                del container[len(container) - here :]
            else:
                for _ in range(here):
                    container.popitem()
            count -= here
            if not container:
                self._containers.pop()
        return bool(self._containers)
