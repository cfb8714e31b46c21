"""The folder beside a store in which the parts of its crawl are."""

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
    """The message says why, and what to do."""


@dataclass(slots=True)
class _State:
    """crawl: its name; shards: how many; epochs: the last of each; joined: when each run began whose parts were joined,
    or were about to be, epoch seconds; where: its shards were last, as --cluster has it; "" if that was not noted.
    """

    crawl: str
    shards: int
    epochs: list[int] = field(default_factory=list)
    joined: list[float] = field(default_factory=list)
    where: str = ""


def _new(shards: int, where: str) -> _State:
    return _State(secrets.token_hex(8), shards, [0] * shards, where=where)


class ShardsFolder:
    """Of the store FILE it is FILE.shards. Mutable; what is changed is on disk at once."""

    def __init__(self, store: Path) -> None:
        self.path = store.with_name(store.name + SHARDS_SUFFIX)
        self._file = self.path / CLUSTER_FILE
        self._state: _State
        self._is_new = False
        self.held_crawl = False
        """Whether it did when it was opened."""

    @property
    def exists(self) -> bool:
        return self._file.exists()

    @contextmanager
    def opened(self, shards: int, where: str) -> Iterator[ShardsFolder]:
        """To be used by nobody else in the block. shards, where: of the crawl that begins if it holds none.

        Raises FolderUnusable, StoreInUse and OSError.
        """
        is_made = self._is_made()
        lock = StoreLock(self._file)
        lock.acquire()
        try:
            self._is_new = is_made and not self.exists  # somebody else may have been the first to lock it
            self.held_crawl = self.exists
            self._state = self._read() if self.held_crawl else _new(shards, where)
            self._write()
            yield self
        finally:
            lock.release()

    def go_on(self, shards: int, where: str) -> None:
        """Raises FolderUnusable if it holds a crawl in more or fewer parts, and OSError."""
        of = self._state.shards
        if of != shards:
            raise FolderUnusable(
                f"{self.path} holds a crawl in {of} parts, so go on with that many:"
                f" --cluster {self._state.where or f'local:{of} or ray:{of}'}"
            )
        self._state.where = where
        self._write()

    def begin_anew(self, shards: int, where: str) -> None:
        """Forget the crawl it holds, for another. Raises OSError."""
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
        """Remove it, in the block, if it holds no crawl but one that began there."""
        if self._is_new:
            shutil.rmtree(self.path, ignore_errors=True)

    def store(self, number: int) -> Path:
        return self.path / f"{number}.db"

    @property
    def stores(self) -> list[Path]:
        return [self.store(number) for number in range(self._state.shards)]

    def found_stores(self) -> dict[int, Path]:
        """Of each part that has one, whoever uses the folder."""
        numbers = sorted(int(path.stem) for path in self.path.glob("*.db") if path.stem.isdecimal())
        return {number: self.store(number) for number in numbers}

    @property
    def crawl(self) -> str:
        return self._state.crawl

    def next_epoch(self, number: int) -> int:
        """Of a shard; none is given twice, whatever happens."""
        self._state.epochs[number] += 1
        self._write()
        return self._state.epochs[number]

    def is_of_these(self, began: float) -> bool:
        """Whether a store whose last run began then was joined of these parts, and is as it was then."""
        return began in self._state.joined

    def join_begins(self, began: float) -> None:
        """The parts of a run that began then are going to be joined: whatever happens then, such a store is known."""
        self._state.joined.append(began)
        self._write()

    def _read(self) -> _State:
        try:
            stored = json.loads(self._file.read_text("utf-8"))
            joined = stored.get("joined") or []
            stored["joined"] = joined if isinstance(joined, list) else [joined]  # once only the last was noted
            return _State(**stored)
        except (ValueError, TypeError, AttributeError) as error:
            raise FolderUnusable(f"{self._file} is damaged: {error}; the stores beside it are whole") from error

    def _write(self) -> None:
        new = self._file.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            json.dump(asdict(self._state), file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._file)
