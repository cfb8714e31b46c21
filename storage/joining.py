"""Joins the shards of a crawl into one store, which all commands read like any other.

The result starts as a copy of the largest shard. The other shards are added one after another; hosts and pages with new
URLs get the next numbers. The data of a page come from the shard that owns the page; the other shards only know that
the page exists. The stores of the shards are not changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Final

from hinterland.storage.sorted_links.sorting import sort_again
from hinterland.storage.tables import TABLES, joined
from hinterland.storage.values.table_spec import Joining

_BEGIN = """
CREATE TEMP TABLE unsent (page INTEGER PRIMARY KEY);
INSERT INTO unsent SELECT DISTINCT page FROM handed_over WHERE NOT is_acknowledged;
CREATE TEMP TABLE host_of (old INTEGER PRIMARY KEY, new INTEGER NOT NULL, is_own INTEGER NOT NULL);
CREATE TEMP TABLE page_of (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
"""
"""`unsent` holds the pages that a shard has forwarded, but whose arrival was not acknowledged. `host_of` and `page_of`
map the numbers of hosts and pages in the shard being added to their numbers here; `is_own` tells whether the shard owns
the host.
"""
_NEW = "coalesce(known.id, (SELECT count(*) FROM main.{0}) + sum(known.id IS NULL) OVER (ORDER BY each.id) - 1)"
_NUMBER_HOSTS = f"""
INSERT INTO host_of SELECT each.id, {_NEW.format("host")}, owner(each.url) = ?
FROM part.host AS each LEFT JOIN main.host AS known USING (url)
"""
_NUMBER_PAGES = f"""
INSERT INTO page_of SELECT each.id, {_NEW.format("page")}
FROM part.page AS each LEFT JOIN main.page AS known USING (url)
"""
_HOSTS = """
INSERT INTO host (id, url, {columns})
SELECT host_of.new, each.url, {values} FROM part.host AS each JOIN host_of ON host_of.old = each.id
WHERE is_own = {is_own} ON CONFLICT (id)
"""
_PAGES = """
INSERT INTO page (id, url, host, state, is_local, depth, referrer, redirects)
SELECT number.new, each.url, host.new, each.state, each.is_local, each.depth, finder.new, each.redirects
FROM part.page AS each
JOIN page_of AS number ON number.old = each.id
JOIN host_of AS host ON host.old = each.host
LEFT JOIN page_of AS finder ON finder.old = each.referrer
WHERE host.is_own = ?
ON CONFLICT (id) DO UPDATE SET is_local = max(is_local, excluded.is_local), depth = min(depth, excluded.depth),
"""
_OWN = """
    state = excluded.state, redirects = excluded.redirects, referrer = coalesce(excluded.referrer, referrer)
"""
_OTHERS = "referrer = coalesce(referrer, excluded.referrer)"
_UNSENT = """
INSERT OR IGNORE INTO unsent SELECT new FROM part.handed_over JOIN page_of ON old = page WHERE NOT is_acknowledged
"""
_WAITING = "UPDATE page SET state = 'waiting', is_local = 1 WHERE state = 'known' AND id IN (SELECT page FROM unsent)"
_VISITS = """
UPDATE fetch SET visit = ordered.place FROM (
    SELECT page, row_number() OVER (ORDER BY started_at + seconds, page) AS place FROM fetch) AS ordered
WHERE ordered.page = fetch.page
"""
_PAGES_AT_ONCE: Final = 10_000
_STEPS_AT_ONCE: Final = 500_000
"""The number of file pages that are copied, or of SQLite virtual machine instructions that are executed, between two
calls of `is_cut`.
"""


@dataclass(frozen=True, slots=True)
class JoinedRun:
    """The last run of all shards together, as one row of the table `run`."""

    started_at: float
    ended_at: float
    reason: str
    command: str
    settings: str
    progress: str
    updated_at: float


def join(
    shards: Sequence[Path],
    joined: Path,
    owner: Callable[[str], int],
    run: JoinedRun,
    on_progress: Callable[[int, int], None] = lambda done, of: None,
    is_cut: Callable[[], bool] = lambda: False,
) -> None:
    """Write the contents of all shards into one store, replacing the store at `joined`.

    `owner` returns the number of the shard that owns a host ("https://a.example"). `run` is the run that has just
    ended; earlier runs are taken from the first shard. `on_progress` receives the number of finished steps and their
    total. `is_cut` is called again and again; once it returns True, joining gives up.

    Readers of the old store see it until the new one is complete. Raises sqlite3.Error, also when giving up, and
    OSError; the old store is then unchanged.
    """

    def go_on(*_: int) -> None:
        if is_cut():
            raise sqlite3.OperationalError("interrupted")

    made = joined.with_name(joined.name + ".joining")
    made.unlink(missing_ok=True)
    try:
        largest = max(range(len(shards)), key=lambda shard: _page_count(shards[shard]))
        with closing(sqlite3.connect(made, isolation_level=None)) as connection:
            with closing(sqlite3.connect(shards[largest])) as shard:
                shard.backup(connection, pages=_PAGES_AT_ONCE, progress=go_on)
            connection.set_progress_handler(is_cut, _STEPS_AT_ONCE)
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA secure_delete = OFF")
            connection.create_function("owner", 1, owner, deterministic=True)
            _fill(connection, shards, largest, run, on_progress)
        _put_in_place(made, joined)
    finally:
        made.unlink(missing_ok=True)


def _page_count(shard: Path) -> int:
    with closing(sqlite3.connect(shard)) as connection:
        count: int = connection.execute("SELECT count(*) FROM page").fetchone()[0]
    return count


def _fill(
    connection: sqlite3.Connection,
    shards: Sequence[Path],
    largest: int,
    run: JoinedRun,
    on_progress: Callable[[int, int], None],
) -> None:
    """Add the contents of all other shards to the copy of the largest shard."""
    connection.executescript(_BEGIN)
    for table in (*sorted(joined(Joining.LEFT_OUT)), "run"):
        connection.execute(f"DELETE FROM {table}")
    steps: list[Callable[[sqlite3.Connection, int], None]] = [_number, _hosts, _pages, _visits]
    done, of = 0, len(steps) * (len(shards) - 1) + 1
    for shard, path in enumerate(shards):
        if shard == largest:
            continue
        connection.execute("ATTACH ? AS part", (str(path),))
        for step in steps:
            on_progress(done, of)
            step(connection, shard)
            done += 1
        connection.execute("DETACH part")
    on_progress(done, of)
    connection.execute(_WAITING)
    connection.execute(_VISITS)
    _runs(connection, shards[0], run)
    sort_again(connection)
    connection.execute("PRAGMA optimize")
    on_progress(of, of)


def _number(connection: sqlite3.Connection, shard: int) -> None:
    for table in ("host_of", "page_of"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute(_NUMBER_HOSTS, (shard,))
    connection.execute(_NUMBER_PAGES)


def _hosts(connection: sqlite3.Connection, shard: int) -> None:
    columns = [name for name in _columns(connection, "host") if name not in ("id", "url")]
    names, values = ", ".join(columns), ", ".join(f"each.{name}" for name in columns)
    overwritten = ", ".join(f"{name} = excluded.{name}" for name in columns)
    for is_own, then in ((1, f"DO UPDATE SET {overwritten}"), (0, "DO NOTHING")):
        connection.execute(_HOSTS.format(columns=names, values=values, is_own=is_own) + then)


def _pages(connection: sqlite3.Connection, shard: int) -> None:
    connection.execute(_PAGES + _OWN, (1,))
    connection.execute(_PAGES + _OTHERS, (0,))
    connection.execute(_UNSENT)


def _visits(connection: sqlite3.Connection, shard: int) -> None:
    """Copy the tables that visits fill, with page and host numbers translated."""
    for name in joined(Joining.NUMBERED):
        table, left_out = TABLES[name], ("id",) if name == "change" else ()
        numbers = dict.fromkeys(table.pages, "page_of") | ({table.host: "host_of"} if table.host else {})
        _copy(connection, name, numbers, left_out)
    for name in joined(Joining.ALIKE):
        _copy(connection, name, {})
    views = connection.execute(
        "SELECT sql FROM part.sqlite_schema AS each WHERE type = 'view'"
        " AND NOT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE name = each.name)"
    ).fetchall()
    for (sql,) in views:
        connection.execute(sql)


def _copy(connection: sqlite3.Connection, table: str, numbers: dict[str, str], left_out: Sequence[str] = ()) -> None:
    """Copy the rows of a table.

    `numbers` maps each column that holds numbers of the shard to the table that translates them.
    """
    columns = [name for name in _columns(connection, table) if name not in left_out]
    values = [f'"{name}_".new' if name in numbers else f'each."{name}"' for name in columns]
    joins = [f'LEFT JOIN {of} AS "{name}_" ON "{name}_".old = each."{name}"' for name, of in numbers.items()]
    names = ", ".join(f'"{name}"' for name in columns)
    rows = f"SELECT {', '.join(values)} FROM part.{table} AS each {' '.join(joins)}"
    connection.execute(f"INSERT OR IGNORE INTO {table} ({names}) {rows}")


def _runs(connection: sqlite3.Connection, first: Path, run: JoinedRun) -> None:
    """Insert the last run, and the earlier runs of the first shard."""
    earlier = ", ".join(_columns(connection, "run"))
    connection.execute("ATTACH ? AS part", (str(first),))
    connection.execute(f"INSERT INTO run SELECT {earlier} FROM part.run WHERE started_at < ?", (run.started_at,))
    connection.execute("DETACH part")
    names = ", ".join(JoinedRun.__dataclass_fields__)
    connection.execute(f"INSERT INTO run ({names}) VALUES (?, ?, ?, ?, ?, ?, ?)", astuple(run))


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?, 'main')", (table,))]


def _put_in_place(made: Path, joined: Path) -> None:
    if not joined.exists():
        made.rename(joined)
        return
    with closing(sqlite3.connect(made)) as source, closing(sqlite3.connect(joined)) as target:
        source.backup(target)
