"""Questions to a store that somebody else may be writing: read-only, and never in the writer's way.

Each answer is one short read transaction, so that no pager at the other end of a pipe can hold up the merging
of the write-ahead log. Two answers may therefore be of two moments.

What they cost in a store of a million fetched pages and two million others (1.8 GB): a millisecond of CPU, and
`waiting_by_host`, `failures` and `hosts` some tens, since counts are kept by the store (benchmarks/README.md). `links`,
`crawled_graph`, `pages_fetched`, `most_linked` and `number_of_links` read tables from end to end.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from storage.lock import holder_of
from storage.migrating import NotMigrated, bring_up_to_date
from storage.schema import FAILED, SchemaTooNew, pending_migrations
from storage.values.hosts import HostReport, HostsReport, SlowedReport, StoredRobots
from storage.values.links import StoredLinks
from storage.values.pages import PAGE_STATES, FailureReport, LinkedPage, PageCounts, PageReport
from storage.values.ranks import EstimateReport
from storage.values.runs import RunReport, RunState

_FEW = 5
_EARLY = 10_000
_LOOKED_AT = 1_000
_PATIENCE_SECONDS = 5.0


class NoStore(Exception):
    """There is no readable store; the message says why and what to do."""


class StoreReports:
    """Answers about one store."""

    def __init__(self, path: Path, connection: sqlite3.Connection, uri: str) -> None:
        self.path = path
        self.uri = uri
        """By which SQLite opens it read-only; for ATTACH."""
        self._connection = connection

    @property
    def connection(self) -> sqlite3.Connection:
        """For questions that are asked elsewhere; it is good until the block of `reading` ends."""
        return self._connection

    # ---------------------------------------------------------------- runs

    @property
    def holder(self) -> int | None:
        """The process that is crawling into the store now, if any."""
        return holder_of(self.path)

    def run(self) -> RunReport | None:
        """The last run."""
        return next(iter(self.runs(1)), None)

    def runs(self, limit: int = 10) -> list[RunReport]:
        """The last runs, newest first."""
        rows = self._rows(
            "SELECT id, ended_at, started_at, updated_at, reason, command, progress FROM run"
            " ORDER BY id DESC LIMIT ?",
            limit,
        )
        return [self._run(*row, is_newest=place == 0) for place, row in enumerate(rows)]

    def number_of_runs(self) -> int:
        return int(self._rows("SELECT count(*) FROM run")[0][0])

    def _run(
        self,
        number: int,
        ended_at: float | None,
        started_at: float,
        updated_at: float,
        reason: str | None,
        command: str,
        progress: str,
        *,
        is_newest: bool,
    ) -> RunReport:
        if ended_at is not None:
            state = RunState.ENDED
        else:
            state = RunState.RUNNING if is_newest and self.holder is not None else RunState.KILLED
        return RunReport(
            number, state, started_at, updated_at, reason, json.loads(command), json.loads(progress)
        )

    def last_settings(self) -> str | None:
        """The settings of the last run, as it stored them."""
        rows = self._rows("SELECT settings FROM run ORDER BY id DESC LIMIT 1")
        return str(rows[0][0]) if rows else None

    # ---------------------------------------------------------------- pages

    def page_counts(self) -> PageCounts:
        counts = {True: dict.fromkeys(PAGE_STATES, 0), False: dict.fromkeys(PAGE_STATES, 0)}
        sums = "SELECT is_local, state, sum(pages) FROM page_count GROUP BY is_local, state"
        for is_local, state, pages in self._rows(sums):
            counts[bool(is_local)][state] = pages
        return PageCounts(local=counts[True], outside=counts[False])

    def pages_fetched(self) -> int:
        return int(self._rows("SELECT count(*) FROM fetch WHERE outcome = 'fetched'")[0][0])

    def failures(self) -> list[FailureReport]:
        """What went wrong or was refused, the most frequent first, with an example of each."""
        rows = self._rows(
            "SELECT outcome, status, count(*) AS pages, count(retry_at), min(page) FROM fetch"
            f" WHERE {FAILED} GROUP BY outcome, status ORDER BY pages DESC, outcome, status"
        )
        return [
            FailureReport(outcome, status, pages, retrying, *self._example(page))
            for outcome, status, pages, retrying, page in rows
        ]

    def _example(self, page: int) -> tuple[str, str]:
        [row] = self._rows(
            "SELECT url, detail FROM page JOIN fetch ON fetch.page = page.id WHERE page.id = ?", page
        )
        return str(row[0]), str(row[1])

    def page(self, url: str) -> PageReport | None:
        """What is known of the page with this canonical URL."""
        rows = self._rows(
            "SELECT page.id, page.url, page.state, page.is_local, page.depth, referrer.url, outcome, detail,"
            " status, attempt, retry_at, started_at, target.url, title, cut"
            " FROM page LEFT JOIN fetch ON fetch.page = page.id"
            " LEFT JOIN page AS referrer ON referrer.id = page.referrer"
            " LEFT JOIN page AS target ON target.id = fetch.redirect_target WHERE page.url = ?",
            url,
        )
        if not rows:
            return None
        *values, cut = rows[0]
        values[3] = bool(values[3])
        values.append(json.loads(cut or "{}"))
        return PageReport(*values)

    def seeds(self) -> list[str]:
        """What draws the scope: the seeds, and where they have moved."""
        return [url for (url,) in self._rows("SELECT url FROM page WHERE depth = 0 AND is_local ORDER BY id")]

    def first_seeds(self, limit: int) -> list[str]:
        """Some of the seeds, without a look at the whole store."""
        rows = self._rows(
            "SELECT url FROM page WHERE id < ? AND depth = 0 AND is_local ORDER BY id LIMIT ?", _EARLY, limit
        )
        return [url for (url,) in rows]

    def most_linked(self, limit: int = _FEW) -> list[LinkedPage]:
        """The fetched pages that most other pages link to.

        Quick only on small stores, or with the index that a finished crawl leaves.
        """
        rows = self._rows(
            "SELECT page.url, fetch.title, count(DISTINCT link.source) AS inlinks"
            " FROM link JOIN page ON page.id = link.target JOIN fetch ON fetch.page = page.id"
            " WHERE link.source <> link.target AND fetch.outcome = 'fetched'"
            " GROUP BY link.target ORDER BY inlinks DESC, link.target LIMIT ?",
            limit,
        )
        return [LinkedPage(*row) for row in rows]

    def number_of_links(self) -> int:
        return int(self._rows("SELECT count(*) FROM link")[0][0])

    # ---------------------------------------------------------------- hosts

    def hosts(self, waiting: Mapping[int, int], limit: int = _FEW) -> HostsReport:
        """`waiting` as `waiting_by_host` gives it, or empty if that is not worth its time."""
        known, visited, given_up = self._rows(
            "SELECT count(*), coalesce(sum(pages_fetched > 0), 0), coalesce(sum(is_given_up), 0) FROM host"
        )[0]
        longest = sorted(waiting, key=lambda host: (-waiting[host], host))[:limit]
        lost = self._hosts("is_given_up ORDER BY id", limit, waiting)
        failing = self._hosts("failures > 0 AND NOT is_given_up ORDER BY failures DESC, id", limit, waiting)
        return HostsReport(
            known=known,
            visited=visited,
            given_up=given_up,
            by_pages=self._hosts("pages_fetched > 0 ORDER BY pages_fetched DESC, id", limit, waiting),
            by_waiting=[each for host in longest for each in self._hosts(f"id = {host}", 1, waiting)],
            failing=self._with_last_errors(failing),
            lost=self._with_last_errors(lost),
        )

    def waiting_by_host(self) -> dict[int, int]:
        """Host number -> how many of its pages wait."""
        condition = "is_local IN (0, 1) AND state = 'waiting' AND pages > 0"
        return dict(self._rows(f"SELECT host, sum(pages) FROM page_count WHERE {condition} GROUP BY host"))

    def _hosts(self, condition: str, limit: int, waiting: Mapping[int, int]) -> list[HostReport]:
        rows = self._rows(
            f"SELECT id, url, pages_fetched, next_fetch, failures, last_error FROM host WHERE {condition}"
            " LIMIT ?",
            limit,
        )
        return [
            HostReport(url, pages, waiting.get(host, 0), next_fetch, failures, last_error)
            for host, url, pages, next_fetch, failures, last_error in rows
        ]

    def _with_last_errors(self, hosts: list[HostReport]) -> list[HostReport]:
        """With a failure of a page for those hosts that have no error of their own, as earlier versions left them: the
        last one among the first pages of the host."""
        return [host if host.last_error else replace(host, last_error=self._last_error(host.url)) for host in hosts]

    def _last_error(self, host: str) -> str | None:
        rows = self._rows(
            "SELECT outcome, detail FROM (SELECT id FROM page WHERE url >= ? AND url < ? LIMIT ?) AS each"
            f" JOIN fetch ON fetch.page = each.id WHERE {FAILED} AND outcome <> 'robots' ORDER BY visit DESC LIMIT 1",
            f"{host}/", f"{host}0", _LOOKED_AT,
        )  # fmt: skip
        return ": ".join(filter(None, rows[0])) if rows else None

    def robots(self, host: str) -> StoredRobots | None:
        rows = self._rows(
            "SELECT status, fetched_at, expires_at, text FROM robots JOIN host ON host.id = robots.host"
            " WHERE host.url = ?",
            host,
        )
        return StoredRobots(*rows[0]) if rows else None

    def links(self) -> StoredLinks:
        """The whole link graph, 8 bytes a link and the URLs in memory; as it was at one moment."""
        urls, is_local, is_visited = list[str](), bytearray(), bytearray()
        sources, targets = array("i"), array("i")
        self._connection.execute("BEGIN")
        try:
            pages = "SELECT url, is_local, state IN ('fetched', 'redirected') FROM page ORDER BY id"
            for url, local, visited in self._connection.execute(pages):
                urls.append(url)
                is_local.append(local)
                is_visited.append(visited)
            for source, target in self._connection.execute("SELECT source, target FROM link ORDER BY source, target"):
                sources.append(source)
                targets.append(target)
        finally:
            self._connection.execute("ROLLBACK")
        return StoredLinks(urls, bytes(is_local), bytes(is_visited), sources, targets)

    # ---------------------------------------------------------------- ranks

    def names_of(self, pages: Sequence[int]) -> dict[int, tuple[str, str | None]]:
        """Page -> (URL, title)."""
        sql = "SELECT url, title FROM page LEFT JOIN fetch ON fetch.page = page.id WHERE page.id = ?"
        return {page: (str(url), title) for page in pages for url, title in self._rows(sql, page)}

    def slowed(self) -> list[SlowedReport]:
        """The shapes of URLs that look as if they went on without end, those that cost most first."""
        rows = self._rows(
            "SELECT host.url, shape, suspicion, visits, in_vain, earned, left_waiting"
            " FROM slowed JOIN host ON host.id = slowed.host ORDER BY in_vain DESC, host.url, shape"
        )
        return [SlowedReport(*row) for row in rows]

    def estimates(self) -> list[EstimateReport]:
        """Every refresh of the estimate, the oldest first."""
        rows = self._rows(
            "SELECT run, visit, local_pages, outside_pages, estimator, change, disagreement, seconds, created_at"
            " FROM estimate ORDER BY id"
        )
        return [EstimateReport(*row) for row in rows]

    # ---------------------------------------------------------------- the file

    def size_bytes(self) -> int:
        """Of the store on disk, what is not yet merged into its main file included."""
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def last_written(self) -> float:
        """When the file or what is not yet merged into it was last changed, epoch seconds."""
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        return max(file.stat().st_mtime for file in files if file.exists())

    def _rows(self, sql: str, *parameters: object) -> list[Any]:
        return self._connection.execute(sql, parameters).fetchall()


@contextmanager
def reading(path: Path) -> Iterator[StoreReports]:
    """Open a store to look at. Raises NoStore, also if it turns out in the block that the file is damaged."""
    with _checked(path) as (connection, uri):
        yield StoreReports(path, connection, uri)


@contextmanager
def reading_connection(path: Path) -> Iterator[sqlite3.Connection]:
    """The same, for statements of one's own."""
    with _checked(path) as (connection, _):
        yield connection


@contextmanager
def _checked(path: Path) -> Iterator[tuple[sqlite3.Connection, str]]:
    try:
        uri, opened = _connected(path)
        with closing(opened) as connection:
            _check(path, connection)
            yield connection, uri
    except sqlite3.Error as error:
        raise NoStore(f"{path} cannot be read: {error}") from error


def _connected(path: Path) -> tuple[str, sqlite3.Connection]:
    if not path.exists():
        raise NoStore(f"there is no store at {path}; a crawl makes one")
    if not path.is_file():
        raise NoStore(f"{path} is not a file")
    file = path.resolve().as_uri()
    uri = f"{file}?mode=ro"
    try:
        connection = _open(uri)
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
    except sqlite3.OperationalError as error:
        if path.with_name(path.name + "-wal").exists():
            raise NoStore(f"{path} cannot be read: {error}") from error
        # Nobody writes it, and SQLite cannot put its lock beside it: a folder that is not ours to write in.
        uri = f"{file}?immutable=1"
        connection = _open(uri)
    except sqlite3.DatabaseError as error:
        raise NoStore(f"{path} is not a link store: {error}") from error
    return uri, connection


def _open(uri: str) -> sqlite3.Connection:
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_PATIENCE_SECONDS)


def _check(path: Path, connection: sqlite3.Connection) -> None:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        raise NoStore(f"{path} is empty: no crawl has begun there")
    if "migration" not in tables:
        raise NoStore(f"{path} is a database of something else")
    applied = {name for (name,) in connection.execute("SELECT name FROM migration")}
    try:
        missing = pending_migrations(applied)
    except SchemaTooNew as error:
        raise NoStore(f"{path}: {error}") from error
    if missing:
        try:
            bring_up_to_date(path)
        except NotMigrated as error:
            why = f"was written by an earlier version and cannot be brought up to date: {error}"
            raise NoStore(f"{path} {why}") from error
