"""The reader of a store, in parts by subject."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hinterland.storage.lock import holder_of
from hinterland.storage.store_name import name_with_log
from hinterland.storage.values.runs import RunState, state_of
from hinterland.storage.values.shards import PARTS_FILE

if TYPE_CHECKING:
    from hinterland.storage.reading.broken_links import BrokenLinks
    from hinterland.storage.reading.extractions import Extractions
    from hinterland.storage.reading.history import History
    from hinterland.storage.reading.hosts import Hosts
    from hinterland.storage.reading.links import Links
    from hinterland.storage.reading.lists import Lists
    from hinterland.storage.reading.page_table import PageTables
    from hinterland.storage.reading.pages import Pages
    from hinterland.storage.reading.pages_of_hosts import PagesOfHosts
    from hinterland.storage.reading.ranks import Ranks
    from hinterland.storage.reading.reach import Reach
    from hinterland.storage.reading.runs import Runs
    from hinterland.storage.reading.shards import ShardPart
    from hinterland.storage.reading.topics import Topics


class StoreReader:
    """Answers about one store, over one connection: open it with `reading`.

    A part is imported when it is first asked: making the values of all parts takes longer than to read most answers.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, uri: str = "") -> None:
        self.path = path
        self.connection = connection
        """For questions that are asked elsewhere; it is good until the block of `reading` ends."""
        self.uri = uri
        """By which SQLite opens it read-only; for ATTACH."""

    @cached_property
    def runs(self) -> Runs:
        from hinterland.storage.reading.runs import Runs

        return Runs(self.path, self.connection)

    @cached_property
    def pages(self) -> Pages:
        from hinterland.storage.reading.pages import Pages

        return Pages(self.connection)

    @cached_property
    def page_tables(self) -> PageTables:
        from hinterland.storage.reading.page_table import PageTables

        return PageTables(self.connection)

    @cached_property
    def pages_of_hosts(self) -> PagesOfHosts:
        from hinterland.storage.reading.pages_of_hosts import PagesOfHosts

        return PagesOfHosts(self.connection, self.pages, self.ranks)

    @cached_property
    def ranks(self) -> Ranks:
        from hinterland.storage.reading.ranks import Ranks

        return Ranks(self.connection)

    @cached_property
    def links(self) -> Links:
        from hinterland.storage.reading.links import Links

        return Links(self.connection)

    @cached_property
    def broken_links(self) -> BrokenLinks:
        from hinterland.storage.reading.broken_links import BrokenLinks  # brings numpy

        return BrokenLinks(self.connection)

    @cached_property
    def lists(self) -> Lists:
        from hinterland.storage.reading.lists import Lists

        return Lists(self.connection)

    @cached_property
    def hosts(self) -> Hosts:
        from hinterland.storage.reading.hosts import Hosts

        return Hosts(self.connection)

    @cached_property
    def reach(self) -> Reach:
        from hinterland.storage.reading.reach import Reach

        return Reach(self.connection)

    @cached_property
    def history(self) -> History:
        from hinterland.storage.reading.history import History

        return History(self.connection)

    @cached_property
    def shards(self) -> ShardPart:
        from hinterland.storage.reading.shards import ShardPart

        return ShardPart(self.connection)

    @cached_property
    def topics(self) -> Topics:
        from hinterland.storage.reading.topics import Topics

        return Topics(self.connection)

    @cached_property
    def extractions(self) -> Extractions:
        from hinterland.storage.reading.extractions import Extractions

        return Extractions(self.connection)

    @property
    def holder(self) -> int | None:
        """The process that is crawling into the store now, if any."""
        return holder_of(self.path)

    def part_state(self) -> RunState | None:
        """How a part of a crawl stands; one that holds no run is starting, as long as somebody has all parts."""
        state = state_of(self.runs.newest(1), self.holder)
        if state is None and holder_of(self.path.with_name(PARTS_FILE)) is not None:
            return RunState.STARTING
        return state

    def size_bytes(self) -> int:
        """Of the store on disk, what is not yet merged into its main file included."""
        return sum(file.stat().st_size for file in self._files() if file.exists())

    def last_written(self) -> float:
        """When the file or what is not yet merged into it was last changed, epoch seconds."""
        return max(file.stat().st_mtime for file in self._files() if file.exists())

    def _files(self) -> tuple[Path, Path]:
        name = name_with_log(self.path)
        return name, name.with_name(name.name + "-wal")
