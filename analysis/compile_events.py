"""Notifies a watcher when loops are being compiled, here or in another process of this program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import local
from typing import Final, Protocol


class Watcher(Protocol):
    """Receives the events of compilation, in the thread that compiles."""

    def begins(self) -> None:
        """Handle the start of a compilation whose result is not cached.

        An exception raised here cancels the compilation and the call that needed it.
        """
        ...

    def ended(self, is_done: bool) -> None:
        """Handle the end of a compilation; `is_done` is False if it was interrupted."""
        ...


_watchers: Final[list[Watcher]] = []
_depth: Final = local()


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Report the compilations of this process to this watcher alone until the block ends."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


@contextmanager
def compiling() -> Iterator[None]:
    """Tell the watcher that code is being compiled, here or in another process, until the with block ends."""
    depth = getattr(_depth, "value", 0)
    watcher = _watchers[-1] if _watchers and not depth else None
    if watcher is not None:
        watcher.begins()
    _depth.value, is_done = depth + 1, False
    try:
        yield
        is_done = True
    finally:
        _depth.value = depth
        if watcher is not None:
            watcher.ended(is_done)
