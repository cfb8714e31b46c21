"""The reader of a store, in parts by subject."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from storage.lock import holder_of
from storage.reading.extractions import Extractions
from storage.reading.history import History
from storage.reading.hosts import Hosts
from storage.reading.links import Links
from storage.reading.lists import Lists
from storage.reading.pages import Pages
from storage.reading.pages_of_hosts import PagesOfHosts
from storage.reading.ranks import Ranks
from storage.reading.runs import Runs
from storage.reading.shards import ShardPart
from storage.reading.topics import Topics

if TYPE_CHECKING:
    from storage.reading.broken_links import BrokenLinks


class StoreReader:
    """Answers about one store, over one connection: open it with `reading`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, uri: str = "") -> None:
        self.path = path
        self.connection = connection
        """For questions that are asked elsewhere; it is good until the block of `reading` ends."""
        self.uri = uri
        """By which SQLite opens it read-only; for ATTACH."""
        self.runs = Runs(path, connection)
        self.pages = Pages(connection)
        self.ranks = Ranks(connection)
        self.links = Links(connection)
        self.lists = Lists(connection)
        self.hosts = Hosts(connection)
        self.history = History(connection)
        self.shards = ShardPart(connection)
        self.topics = Topics(connection)
        self.extractions = Extractions(connection)
        self.pages_of_hosts = PagesOfHosts(connection, self.pages, self.ranks)

    @property
    def broken_links(self) -> BrokenLinks:
        from storage.reading.broken_links import BrokenLinks  # brings numpy, which most questions do without

        return BrokenLinks(self.connection)

    @property
    def holder(self) -> int | None:
        """The process that is crawling into the store now, if any."""
        return holder_of(self.path)

    def size_bytes(self) -> int:
        """Of the store on disk, what is not yet merged into its main file included."""
        return sum(file.stat().st_size for file in self._files() if file.exists())

    def last_written(self) -> float:
        """When the file or what is not yet merged into it was last changed, epoch seconds."""
        return max(file.stat().st_mtime for file in self._files() if file.exists())

    def _files(self) -> tuple[Path, Path]:
        return self.path, self.path.with_name(self.path.name + "-wal")
