"""Lazy loading of index files that most queries do not need."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class ReadOnce(Generic[_Value]):
    """A value that is read when it is first needed. Thread-safe."""

    def __init__(self, read: Callable[[], _Value]) -> None:
        """Start without a value; `read` provides it."""
        self._read = read
        self._lock = Lock()
        self._values: list[_Value] = []

    def value(self) -> _Value:
        """Return the value.

        If `read` raises an exception, it is passed on, and the next call tries again.
        """
        with self._lock:
            if not self._values:
                self._values.append(self._read())
            return self._values[0]
