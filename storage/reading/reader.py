"""The reader of a store; its queries are grouped by subject."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hinterland.storage.lock import holder_of
from hinterland.storage.store_name import name_with_log
from hinterland.storage.values.runs import RunState, state_of
from hinterland.storage.values.shards import CLUSTER_FILE

if TYPE_CHECKING:
    from hinterland.storage.reading.broken_links import BrokenLinkQueries
    from hinterland.storage.reading.extractions import ExtractionQueries
    from hinterland.storage.reading.history import HistoryQueries
    from hinterland.storage.reading.hosts import HostQueries
    from hinterland.storage.reading.links import LinkQueries
    from hinterland.storage.reading.lists import ListQueries
    from hinterland.storage.reading.page_table import PageTableQueries
    from hinterland.storage.reading.pages import PageQueries
    from hinterland.storage.reading.pages_of_hosts import HostPageQueries
    from hinterland.storage.reading.ranks import RankQueries
    from hinterland.storage.reading.reach import ReachQueries
    from hinterland.storage.reading.runs import RunQueries
    from hinterland.storage.reading.shards import ShardQueries
    from hinterland.storage.reading.topics import TopicQueries


class StoreReader:
    """Answers questions about one store over one connection; open it with `reading`.

    The module of a subject is imported when it is first used: importing all of them takes longer than most queries.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, uri: str = "") -> None:
        """Take the path of the store, and an open connection to it."""
        self.path = path
        self.connection = connection
        """For queries that are defined elsewhere; it is open until the with block of `reading` ends."""
        self.uri = uri
        """The URI by which SQLite opens the store read-only, for ATTACH."""

    @cached_property
    def runs(self) -> RunQueries:
        """Queries about runs of the crawler."""
        from hinterland.storage.reading.runs import RunQueries

        return RunQueries(self.path, self.connection)

    @cached_property
    def pages(self) -> PageQueries:
        """Queries about pages."""
        from hinterland.storage.reading.pages import PageQueries

        return PageQueries(self.connection)

    @cached_property
    def page_tables(self) -> PageTableQueries:
        """Queries for filtered and sorted tables of pages."""
        from hinterland.storage.reading.page_table import PageTableQueries

        return PageTableQueries(self.connection)

    @cached_property
    def pages_of_hosts(self) -> HostPageQueries:
        """Queries about the pages of one host."""
        from hinterland.storage.reading.pages_of_hosts import HostPageQueries

        return HostPageQueries(self.connection, self.pages, self.ranks)

    @cached_property
    def ranks(self) -> RankQueries:
        """Queries about ranks and estimates."""
        from hinterland.storage.reading.ranks import RankQueries

        return RankQueries(self.connection)

    @cached_property
    def links(self) -> LinkQueries:
        """Queries about links."""
        from hinterland.storage.reading.links import LinkQueries

        return LinkQueries(self.connection)

    @cached_property
    def broken_links(self) -> BrokenLinkQueries:
        """Queries about broken links."""
        from hinterland.storage.reading.broken_links import BrokenLinkQueries  # brings numpy

        return BrokenLinkQueries(self.connection)

    @cached_property
    def lists(self) -> ListQueries:
        """Queries for lists of pages, links and failures."""
        from hinterland.storage.reading.lists import ListQueries

        return ListQueries(self.connection)

    @cached_property
    def hosts(self) -> HostQueries:
        """Queries about hosts."""
        from hinterland.storage.reading.hosts import HostQueries

        return HostQueries(self.connection)

    @cached_property
    def reach(self) -> ReachQueries:
        """Queries about what the crawl could not reach."""
        from hinterland.storage.reading.reach import ReachQueries

        return ReachQueries(self.connection)

    @cached_property
    def history(self) -> HistoryQueries:
        """Queries about revisits and changes."""
        from hinterland.storage.reading.history import HistoryQueries

        return HistoryQueries(self.connection)

    @cached_property
    def shards(self) -> ShardQueries:
        """Queries about the shard that the store is."""
        from hinterland.storage.reading.shards import ShardQueries

        return ShardQueries(self.connection)

    @cached_property
    def topics(self) -> TopicQueries:
        """Queries about the topic of the crawl and the relevance of pages."""
        from hinterland.storage.reading.topics import TopicQueries

        return TopicQueries(self.connection)

    @cached_property
    def extractions(self) -> ExtractionQueries:
        """Queries about extracted records."""
        from hinterland.storage.reading.extractions import ExtractionQueries

        return ExtractionQueries(self.connection)

    @property
    def holder(self) -> int | None:
        """The id of the process that is crawling into the store now; None if there is none."""
        return holder_of(self.path)

    def shard_state(self) -> RunState | None:
        """Return the state of a shard.

        The state is STARTING if the shard has no run yet, but a process holds the folder of all shards.
        """
        state = state_of(self.runs.newest(1), self.holder)
        if state is None and holder_of(self.path.with_name(CLUSTER_FILE)) is not None:
            return RunState.STARTING
        return state

    def size_bytes(self) -> int:
        """Return the size of the store on disk, including the part that is not yet merged into its main file."""
        return sum(file.stat().st_size for file in self._files() if file.exists())

    def last_written(self) -> float:
        """Return when the store or its log was last changed, in epoch seconds."""
        return max(file.stat().st_mtime for file in self._files() if file.exists())

    def _files(self) -> tuple[Path, Path]:
        name = name_with_log(self.path)
        return name, name.with_name(name.name + "-wal")
