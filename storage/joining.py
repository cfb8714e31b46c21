"""Joins the parts of a crawl into one store, which all commands read like any other.

Pages and hosts are known by their URLs: each gets a number of its own in the joined store. What a page is, the part
says that it belongs to; the others know only that it exists. The parts are read and not changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Final

from storage.migrations import CREATE_MIGRATION_TABLE, pending_migrations
from storage.schema import CREATE_COPY_INDEX, CREATE_INLINK_INDEX

_BY_PAGE: Final = {
    "fetch": ("page", "redirect_target", "canonical"),
    "content": ("page",),
    "link": ("source", "target"),
    "relevance": ("page",),
    "drawn": ("page",),
    "extracted": ("page",),
    "record": ("page",),
    "look": ("page",),
    "change": ("page",),
}
"""Tables of what visits brought, and their columns that hold numbers of pages."""
_BY_HOST: Final = {"robots": "host", "slowed": "host", "signal": "host"}
_ALIKE: Final = ("extraction", "topic", "sitemap", "probed")
"""Tables without such numbers; rows that several parts have are the same."""
OF_A_PART: Final = frozenset({"shard", "handed_over", "learnt", "estimate", "rank"})
"""What says nothing of the whole crawl. learnt, estimate, rank: of the links that one part knows."""
MADE_HERE: Final = frozenset({"host", "page", "page_count", "run", "migration", "link_kind"})
JOINED: Final = frozenset({*_BY_PAGE, *_BY_HOST, *_ALIKE})

_MAPS = """
CREATE TEMP TABLE joined_host (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, owner INTEGER NOT NULL);
CREATE TEMP TABLE joined_page (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE);
CREATE TEMP TABLE host_of (part INTEGER, old INTEGER, new INTEGER, PRIMARY KEY (part, old)) WITHOUT ROWID;
CREATE TEMP TABLE page_of (part INTEGER, old INTEGER, new INTEGER, PRIMARY KEY (part, old)) WITHOUT ROWID;
"""
_NUMBER_HOSTS = """
INSERT INTO joined_host (id, url, owner)
SELECT (SELECT coalesce(max(id) + 1, 0) FROM joined_host) + row_number() OVER (ORDER BY id) - 1, url, owner(url)
FROM part.host AS each WHERE NOT EXISTS (SELECT 1 FROM joined_host WHERE url = each.url)
"""
_NUMBER_PAGES = """
INSERT INTO joined_page (id, url)
SELECT (SELECT coalesce(max(id) + 1, 0) FROM joined_page) + row_number() OVER (ORDER BY id) - 1, url
FROM part.page AS each WHERE NOT EXISTS (SELECT 1 FROM joined_page WHERE url = each.url)
"""
_MAP = "INSERT INTO {0}_of SELECT ?, each.id, joined.id FROM part.{0} AS each JOIN joined_{0} AS joined USING (url)"
_PAGES = """
INSERT INTO page (id, url, host, state, is_local, depth, referrer, redirects)
SELECT number.new, each.url, host.new, each.state, each.is_local, each.depth, finder.new, each.redirects
FROM part.page AS each
JOIN page_of AS number ON number.part = ?1 AND number.old = each.id
JOIN host_of AS host ON host.part = ?1 AND host.old = each.host
JOIN joined_host ON joined_host.id = host.new
LEFT JOIN page_of AS finder ON finder.part = ?1 AND finder.old = each.referrer
WHERE (joined_host.owner = ?1) = ?2
"""
_OTHERS = """
ON CONFLICT (id) DO UPDATE SET is_local = max(is_local, excluded.is_local), depth = min(depth, excluded.depth),
    referrer = coalesce(referrer, excluded.referrer)
"""
_UNSENT = """
UPDATE page SET state = 'waiting', is_local = 1 WHERE state = 'known' AND id IN (
    SELECT new FROM part.handed_over JOIN page_of ON part = ?1 AND old = page WHERE NOT is_acknowledged)
"""
_VISITS = """
UPDATE fetch SET visit = ordered.place FROM (
    SELECT page, row_number() OVER (ORDER BY started_at + seconds, page) AS place FROM fetch) AS ordered
WHERE ordered.page = fetch.page
"""


@dataclass(frozen=True, slots=True)
class JoinedRun:
    """The last run of all parts together, in the columns of its table."""

    started_at: float
    ended_at: float
    reason: str
    command: str
    settings: str
    progress: str
    updated_at: float


def join(
    parts: Sequence[Path],
    joined: Path,
    owner: Callable[[str], int],
    run: JoinedRun,
    told: Callable[[int, int], None] = lambda done, of: None,
) -> None:
    """Write all that the parts hold into one store, which takes the place of the one that is there.

    owner: to which part a host ("https://a.example") belongs. run: the one that has just ended; earlier ones are those
    of the first part. told: of how many steps are done, and of how many. Whoever reads the old store meanwhile sees it
    until all is there. Raises sqlite3.Error and OSError; then what was there is as it was.
    """
    made = joined.with_name(joined.name + ".joining")
    made.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(made, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(CREATE_MIGRATION_TABLE)
            for script in pending_migrations(set()):
                connection.executescript(script)
            connection.create_function("owner", 1, owner, deterministic=True)
            _fill(connection, parts, run, told)
        _put_in_place(made, joined)
    finally:
        made.unlink(missing_ok=True)


def _fill(
    connection: sqlite3.Connection, parts: Sequence[Path], run: JoinedRun, told: Callable[[int, int], None]
) -> None:
    connection.executescript(_MAPS)
    steps: list[Callable[[sqlite3.Connection, int], None]] = [_number, _own, _other, _visits]
    done, of = 0, len(steps) * len(parts) + 1
    for step in steps:
        for part, path in enumerate(parts):
            told(done, of)
            connection.execute("ATTACH ? AS part", (str(path),))
            step(connection, part)
            connection.execute("DETACH part")
            done += 1
    told(done, of)
    connection.execute(_VISITS)
    connection.execute("ATTACH ? AS part", (str(parts[0]),))
    earlier = ", ".join(_columns(connection, "run"))
    connection.execute(f"INSERT INTO run SELECT {earlier} FROM part.run WHERE started_at < ?", (run.started_at,))
    connection.execute("DETACH part")
    names = ", ".join(JoinedRun.__dataclass_fields__)
    connection.execute(f"INSERT INTO run ({names}) VALUES (?, ?, ?, ?, ?, ?, ?)", astuple(run))
    connection.execute(CREATE_INLINK_INDEX)
    connection.execute(CREATE_COPY_INDEX)
    connection.execute("PRAGMA optimize")
    told(of, of)


def _number(connection: sqlite3.Connection, part: int) -> None:
    connection.execute(_NUMBER_HOSTS)
    connection.execute(_NUMBER_PAGES)
    for each in ("host", "page"):
        connection.execute(_MAP.format(each), (part,))


def _own(connection: sqlite3.Connection, part: int) -> None:
    """Hosts and pages that belong to this part."""
    _hosts(connection, part, "INSERT", "joined.owner = ?1")
    connection.execute(_PAGES, (part, 1))


def _other(connection: sqlite3.Connection, part: int) -> None:
    """What this part knows of others."""
    _hosts(connection, part, "INSERT OR IGNORE", "joined.owner <> ?1")
    connection.execute(_PAGES + _OTHERS, (part, 0))
    connection.execute(_UNSENT, (part,))


def _visits(connection: sqlite3.Connection, part: int) -> None:
    """What visits brought."""
    for table, pages in _BY_PAGE.items():
        left_out = ("id",) if table == "change" else ()
        _copy(connection, table, dict.fromkeys(pages, "page_of"), part, left_out)
    for table, host in _BY_HOST.items():
        _copy(connection, table, {host: "host_of"}, part)
    for table in _ALIKE:
        _copy(connection, table, {}, part)
    views = connection.execute(
        "SELECT sql FROM part.sqlite_schema AS each WHERE type = 'view'"
        " AND NOT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE name = each.name)"
    ).fetchall()
    for (sql,) in views:
        connection.execute(sql)


def _hosts(connection: sqlite3.Connection, part: int, insert: str, condition: str) -> None:
    columns = [name for name in _columns(connection, "host") if name not in ("id", "url")]
    names = ", ".join(columns)
    connection.execute(
        f"{insert} INTO host (id, url, {names}) SELECT joined.id, joined.url, {', '.join(f'each.{n}' for n in columns)}"
        f" FROM part.host AS each JOIN joined_host AS joined USING (url) WHERE {condition}",
        (part,),
    )


def _copy(
    connection: sqlite3.Connection, table: str, numbers: dict[str, str], part: int, left_out: Sequence[str] = ()
) -> None:
    """numbers: columns that hold numbers of the part, each with the table of what they are here."""
    columns = [name for name in _columns(connection, table) if name not in left_out]
    values, joins = [], []
    for name in columns:
        if name in numbers:
            values.append(f'"{name}_".new')
            joins.append(
                f'LEFT JOIN {numbers[name]} AS "{name}_" ON "{name}_".part = ?1 AND "{name}_".old = each."{name}"'
            )
        else:
            values.append(f'each."{name}"')
    names = ", ".join(f'"{name}"' for name in columns)
    source = f"part.{table} AS each {' '.join(joins)}"
    connection.execute(
        f"INSERT OR IGNORE INTO {table} ({names}) SELECT {', '.join(values)} FROM {source}", (part,) if numbers else ()
    )


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?, 'main')", (table,))]


def _put_in_place(made: Path, joined: Path) -> None:
    if not joined.exists():
        made.rename(joined)
        return
    with closing(sqlite3.connect(made)) as source, closing(sqlite3.connect(joined)) as target:
        source.backup(target)
