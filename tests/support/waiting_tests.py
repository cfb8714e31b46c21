"""Which test a process runs next: one of the same file, then of a new one, then of the file with most tests left."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from pathlib import Path


class TestQueue:
    """The numbers of the tests that wait, by their files."""

    __test__ = False

    def __init__(self, files: Iterable[Path]) -> None:
        """Take the file of each test, in the order in which the tests shall begin."""
        self._waiting: dict[Path, deque[int]] = {}
        for number, file in enumerate(files):
            self._waiting.setdefault(file, deque()).append(number)
        self._unopened = deque(self._waiting)

    def take(self, last: Path | None) -> tuple[int, Path] | None:
        """Take the test that a process runs next, after one of the file `last`; None if none is left."""
        if last is not None and self._waiting[last]:
            return self._waiting[last].popleft(), last
        while self._unopened:
            file = self._unopened.popleft()
            if self._waiting[file]:
                return self._waiting[file].popleft(), file
        longest = max(self._waiting, key=lambda file: len(self._waiting[file]))
        return (self._waiting[longest].pop(), longest) if self._waiting[longest] else None

    def put_back(self, number: int, file: Path) -> None:
        """Let another process run a test that was taken and has not begun."""
        self._waiting[file].appendleft(number)
