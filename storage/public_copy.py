"""Copies a store into another file: all of it, or what anybody could have found without a login.

Only this module says what a login hides. A table of `opened` names all URLs that were requested with a login. A page
among them is *hidden*, unless its stored version needs no login any more. The copy has a page only if the page is a
seed, or if a page that is not hidden or a public sitemap leads to it. Of a hidden page, the copy has only the URL.
Other rows are copied if the condition of their table says that they are public (`TableSpec.public`). So everything that
is not declared public is missing from the copy, and its readers need no checks of their own.

Conditions may use the store itself as schema `whole`, the tables of the copy that come after theirs in TABLES, and

- page_of (old, new, is_shown, was_always_shown): the pages of the copy by their numbers in the store;
- host_of (old, new, has_hidden): the hosts of the copy;
- opened_robots (url): the robots.txt files that were requested with a login.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hinterland.storage.tables import TABLES
from hinterland.storage.values.table_spec import NOTHING, TableSpec

RULES: Final = 1
"""The version of these rules, kept in user_version of each copy. A copy made by other rules is replaced."""
_BEGIN: Final = """
CREATE TEMP TABLE hidden AS SELECT page.id FROM whole.opened JOIN whole.page USING (url) WHERE NOT is_past;
CREATE UNIQUE INDEX temp.hidden_id ON hidden (id);
CREATE TEMP TABLE once_hidden AS SELECT page.id FROM whole.opened JOIN whole.page USING (url);
CREATE UNIQUE INDEX temp.once_hidden_id ON once_hidden (id);
CREATE TEMP TABLE led AS SELECT referrer, id FROM whole.page
WHERE referrer IS NOT NULL AND referrer NOT IN (SELECT id FROM once_hidden);
CREATE INDEX temp.led_by ON led (referrer);
CREATE TEMP TABLE opened_robots AS SELECT url FROM whole.opened WHERE url LIKE '%/robots.txt';
CREATE TEMP TABLE page_of (
    old INTEGER PRIMARY KEY, new INTEGER NOT NULL, is_shown INTEGER NOT NULL, was_always_shown INTEGER NOT NULL);
CREATE TEMP TABLE host_of (old INTEGER PRIMARY KEY, new INTEGER NOT NULL, has_hidden INTEGER NOT NULL);
WITH RECURSIVE found (page) AS (
    SELECT id FROM whole.page WHERE referrer IS NULL AND (depth = 0 OR (
        id NOT IN (SELECT id FROM hidden) AND host NOT IN (
            SELECT host.id FROM whole.opened JOIN whole.sitemap USING (url)
            JOIN whole.host ON host.url = sitemap.host)))
    UNION SELECT target FROM found JOIN whole.link ON source = page WHERE page NOT IN (SELECT id FROM hidden)
    UNION SELECT id FROM found JOIN led ON led.referrer = page)
INSERT INTO page_of
SELECT page, row_number() OVER (ORDER BY page) - 1, page NOT IN (SELECT id FROM hidden),
       page NOT IN (SELECT id FROM once_hidden)
FROM found;
INSERT INTO host_of
SELECT host, row_number() OVER (ORDER BY host) - 1, max(NOT is_shown)
FROM page_of JOIN whole.page ON page.id = old GROUP BY host;
"""
"""The links of earlier versions of a page are not stored. So the page on which another was first found counts as
leading to it, too.
"""
_COUNTED: Final = "INSERT INTO page_count SELECT is_local, state, host, count(*) FROM page GROUP BY 1, 2, 3"
_SHOWN: Final = "each.{0} IN (SELECT old FROM page_of WHERE is_shown)"
_OF_HOST: Final = "each.{0} IN (SELECT old FROM host_of)"
_NEW_PAGE: Final = "(SELECT new FROM page_of WHERE old = each.{0})"
_NEW_HOST: Final = "(SELECT new FROM host_of WHERE old = each.{0})"


@dataclass(frozen=True, slots=True)
class Hidden:
    """How many visited pages a public copy leaves out.

    `opened` counts the pages that a login opened, and `beyond` the pages to which only such pages lead.
    """

    opened: int = 0
    beyond: int = 0


def has_hidden(connection: sqlite3.Connection) -> bool:
    """Return whether a login opened anything in a store."""
    return connection.execute("SELECT 1 FROM opened LIMIT 1").fetchone() is not None


def opened_by(connection: sqlite3.Connection, url: str) -> str:
    """Return the kinds of logins by which the stored version of a URL was opened; "" if it needs no login."""
    row = connection.execute("SELECT opened_by FROM opened WHERE url = ? AND NOT is_past", (url,)).fetchone()
    return "" if row is None else str(row[0])


def hidden_pages(connection: sqlite3.Connection) -> int:
    """Return how many visited pages of a store are hidden, because a login opened them."""
    [(count,)] = connection.execute(
        "SELECT count(*) FROM opened JOIN page USING (url) JOIN fetch ON fetch.page = page.id WHERE NOT is_past"
    )
    return int(count)


def is_public(connection: sqlite3.Connection) -> bool:
    """Return whether a store is a public copy, made by the current RULES."""
    [(version,)] = connection.execute("PRAGMA user_version")
    return bool(version == RULES) and not has_hidden(connection)


def first_run(connection: sqlite3.Connection) -> float | None:
    """Return when the first run of a store began. Copies keep this time, which identifies the crawl."""
    row = connection.execute("SELECT started_at FROM run ORDER BY id LIMIT 1").fetchone()
    return None if row is None else float(row[0])


def fetched_pages(connection: sqlite3.Connection) -> int:
    """Return how many fetched pages a store has."""
    [(count,)] = connection.execute("SELECT count(*) FROM fetch WHERE outcome = 'fetched'")
    return int(count)


def copy_store(connection: sqlite3.Connection, target: Path) -> None:
    """Copy an open store into a new file.

    The store may be written meanwhile. Raises sqlite3.Error, also if there is no space for the copy.
    """
    connection.execute("VACUUM INTO ?", (str(target),))


def copy_in_public(uri: str, target: Path) -> Hidden:
    """Copy a store, given by its URI, into a new file, without anything that only a login opens.

    Pages and hosts get new numbers, without gaps. The store may be written meanwhile. Return how many pages the copy
    leaves out. Raises sqlite3.Error, also if there is no space for the copy.
    """
    with closing(sqlite3.connect(f"{target.absolute().as_uri()}?mode=rwc", uri=True, isolation_level=None)) as copy:
        copy.execute("PRAGMA journal_mode = OFF")
        copy.execute("PRAGMA synchronous = OFF")
        copy.create_function("without_urls", 1, without_urls, deterministic=True)
        copy.execute("ATTACH ? AS whole", (uri,))
        copy.execute("BEGIN")
        _make(copy, "table")
        for statement in filter(str.strip, _BEGIN.split(";")):
            copy.execute(statement)
        for name in reversed(tuple(TABLES)):
            _copy(copy, name, TABLES[name])
        copy.execute(_COUNTED)
        for kind in ("index", "trigger", "view"):
            _make(copy, kind)
        opened, beyond = _left_out(copy)
        copy.execute("COMMIT")
        copy.execute("DETACH whole")
        from hinterland.storage.sorted_links.sorting import sort_again  # brings numpy

        sort_again(copy)
        copy.execute(f"PRAGMA user_version = {RULES}")
        copy.execute("PRAGMA optimize")
        return Hidden(opened, beyond)


def _left_out(copy: sqlite3.Connection) -> tuple[int, int]:
    """Return how many visited pages a login opened, and how many other visited pages are not in the copy."""
    [(opened, beyond)] = copy.execute(
        "SELECT coalesce(sum(page IN (SELECT id FROM hidden)), 0),"
        " coalesce(sum(page NOT IN (SELECT id FROM hidden) AND page NOT IN (SELECT old FROM page_of)), 0)"
        " FROM whole.fetch"
    )
    return int(opened), int(beyond)


def without_urls(text: str) -> str:
    """Return JSON without its texts that contain a URL.

    Reports of runs name pages, such as the most urgent ones, which may be hidden.
    """

    def cleared(value: Any) -> Any:
        match value:
            case dict():
                return {key: cleared(each) for key, each in value.items() if "://" not in key}
            case list():
                return [cleared(each) for each in value]
            case str() if "://" in value:
                return ""
        return value

    return json.dumps(cleared(json.loads(text)))


def _make(copy: sqlite3.Connection, kind: str) -> None:
    made = copy.execute(
        "SELECT sql FROM whole.sqlite_schema WHERE type = ? AND sql IS NOT NULL AND name NOT LIKE 'sqlite_%'", (kind,)
    ).fetchall()
    for (sql,) in made:
        copy.execute(sql)


def _copy(copy: sqlite3.Connection, table: str, spec: TableSpec) -> None:
    """Copy the rows of a table that are public, with page and host numbers translated."""
    if (condition := _condition(spec)) == NOTHING:
        return
    values = {
        **{column: _NEW_PAGE.format(column) for column in spec.pages},
        **({spec.host: _NEW_HOST.format(spec.host)} if spec.host else {}),
        **spec.public_values,
    }
    columns = [name for (name,) in copy.execute("SELECT name FROM pragma_table_info(?, 'whole')", (table,))]
    chosen = ", ".join(values.get(column, f'each."{column}"') for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    rows = f"SELECT {chosen} FROM whole.{table} AS each {spec.public_join} WHERE {condition}"
    copy.execute(f"INSERT INTO main.{table} ({names}) {rows}")


def _condition(spec: TableSpec) -> str:
    """Return the SQL condition for the public rows of a table. If the table declares nothing, no row is public."""
    if spec.public:
        return spec.public if not spec.host else f"{_OF_HOST.format(spec.host)} AND {spec.public}"
    if spec.pages:
        return _SHOWN.format(spec.pages[0])
    return _OF_HOST.format(spec.host) if spec.host else NOTHING
