"""The folder next to a store that holds the shards of its crawl."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hinterland.storage.lock import StoreLock
from hinterland.storage.values.shards import CLUSTER_FILE, SHARDS_SUFFIX


class FolderUnusable(Exception):
    """Raised if the folder cannot be used. The message says why, and what to do."""


@dataclass(slots=True)
class _State:
    """The contents of the folder's JSON file.

    `crawl` is the crawl's name, `shards` the number of shards, `epochs` the last epoch of each shard. `joined` lists
    the runs whose shards were joined, or about to be joined: the time at which each began, in epoch seconds. `where`
    says where the shards ran last, in the form of --cluster; "" if unknown.
    """

    crawl: str
    shards: int
    epochs: list[int] = field(default_factory=list)
    joined: list[float] = field(default_factory=list)
    where: str = ""


def _new(shards: int, where: str) -> _State:
    return _State(secrets.token_hex(8), shards, [0] * shards, where=where)


class ShardsFolder:
    """The folder FILE.shards of the store FILE. Mutable; changes are written to disk immediately."""

    def __init__(self, store: Path) -> None:
        """Determine the folder of a store; nothing is read or created before `opened` is entered."""
        self.path = store.with_name(store.name + SHARDS_SUFFIX)
        self._file = self.path / CLUSTER_FILE
        self._state: _State
        self._is_new = False
        self.held_crawl = False
        """Whether the folder held a crawl when it was opened."""

    @property
    def exists(self) -> bool:
        """Whether the folder holds a crawl now."""
        return self._file.exists()

    @contextmanager
    def opened(self, shards: int, where: str) -> Iterator[ShardsFolder]:
        """Context manager: lock the folder, creating it if there is none.

        `shards` and `where` describe the crawl that begins if the folder holds no crawl. Raises FolderUnusable,
        StoreInUse and OSError.
        """
        is_made = self._is_made()
        lock = StoreLock(self._file)
        lock.acquire()
        try:
            self._is_new = is_made and not self.exists  # another process may have locked it first
            self.held_crawl = self.exists
            self._state = self._read() if self.held_crawl else _new(shards, where)
            self._write()
            yield self
        finally:
            lock.release()

    def go_on(self, shards: int, where: str) -> None:
        """Continue the crawl in the folder, and record where its shards run now.

        Raises OSError, and FolderUnusable if the crawl does not have exactly `shards` shards.
        """
        of = self._state.shards
        if of != shards:
            raise FolderUnusable(
                f"{self.path} holds a crawl of {of} shards; continue it with the same number:"
                f" --cluster {self._state.where or f'local:{of} or ray:{of}'}"
            )
        self._state.where = where
        self._write()

    def start_over(self, shards: int, where: str) -> None:
        """Replace the crawl in the folder by a new one. Raises OSError."""
        for path in self.path.glob("*.db*"):
            path.unlink()
        self._is_new = True
        self._state = _new(shards, where)
        self._write()

    def _is_made(self) -> bool:
        try:
            self.path.mkdir()
        except FileExistsError:
            return False
        return True

    def discard(self) -> None:
        """Remove the folder, unless it held a crawl when it was opened. Call this only while the folder is open."""
        if self._is_new:
            shutil.rmtree(self.path, ignore_errors=True)

    def store(self, number: int) -> Path:
        """Return the path of a shard's store; `number` counts from 0."""
        return self.path / f"{number}.db"

    @property
    def stores(self) -> list[Path]:
        """The paths of all shards' stores, by number."""
        return [self.store(number) for number in range(self._state.shards)]

    def found_stores(self) -> dict[int, Path]:
        """Return the existing stores, by shard number; another process may be using the folder."""
        numbers = sorted(int(path.stem) for path in self.path.glob("*.db") if path.stem.isdecimal())
        return {number: self.store(number) for number in numbers}

    @property
    def crawl(self) -> str:
        """The name of the crawl."""
        return self._state.crawl

    def next_epoch(self, number: int) -> int:
        """Return the next epoch of a shard; no epoch is ever returned twice."""
        self._state.epochs[number] += 1
        self._write()
        return self._state.epochs[number]

    def is_of_these(self, began: float) -> bool:
        """Return whether a store was joined from these shards and has not changed since.

        `began` is when the last run of the store began, in epoch seconds.
        """
        return began in self._state.joined

    def join_begins(self, began: float) -> None:
        """Record that the shards of the run begun at `began` will be joined.

        If a kill interrupts the join, `is_of_these` then still recognises the store.
        """
        self._state.joined.append(began)
        self._write()

    def _read(self) -> _State:
        try:
            stored = json.loads(self._file.read_text("utf-8"))
            joined = stored.get("joined") or []
            stored["joined"] = joined if isinstance(joined, list) else [joined]  # earlier versions noted only the last
            return _State(**stored)
        except (ValueError, TypeError, AttributeError) as error:
            raise FolderUnusable(f"{self._file} is damaged: {error}; the stores beside it are intact") from error

    def _write(self) -> None:
        new = self._file.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            json.dump(asdict(self._state), file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._file)
