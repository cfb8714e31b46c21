"""A file of an index that is read when it is first asked for: most questions do without."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class ReadOnce(Generic[_Value]):
    """Safe to be asked by many threads."""

    def __init__(self, read: Callable[[], _Value]) -> None:
        self._read = read
        self._lock = Lock()
        self._values: list[_Value] = []

    def value(self) -> _Value:
        """Raises what reading raises; then it is tried again the next time."""
        with self._lock:
            if not self._values:
                self._values.append(self._read())
            return self._values[0]
