"""Finds the pages that link to a page, or that have a given body, in sorted runs and in unsorted rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.storage.sorted_links.entries import Entries, IntArray, body_key, link_entries, unpacked
from hinterland.storage.sorted_links.sorting import BODIES, LINKS, REDIRECT

_MOST_UNSORTED: Final = 60_000
"""With more unsorted pages than this, no answer is given, since it would read all links of these pages. Only a store of
an earlier version that is not sorted yet can have that many unsorted pages.
"""
_FEW: Final = 8
_RUNS: Final = "SELECT id FROM sorted_run WHERE kind = ?"
_FROM: Final = "SELECT first, data FROM sorted_block WHERE run = ? AND last >= ? ORDER BY last, id"
_UNSORTED_LINKS: Final = f"""
SELECT page, group_concat(target << 1 | (kind = {REDIRECT})) FROM unsorted CROSS JOIN link ON link.source = page
GROUP BY page
"""
_UNSORTED_TO: Final = f"""
SELECT page << 1 | min(kind = {REDIRECT}) FROM unsorted CROSS JOIN link ON link.source = page AND link.target = ?
GROUP BY page
"""
_UNSORTED_BODIES: Final = """
SELECT unsorted.page, body_hash FROM unsorted CROSS JOIN fetch ON fetch.page = unsorted.page
WHERE outcome = 'fetched' AND body_hash IS NOT NULL
"""


def is_sorted(connection: sqlite3.Connection) -> bool:
    """Return whether so few pages are still unsorted that the functions of this module are fast."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM unsorted LIMIT ?)"
    [(count,)] = connection.execute(sql, (_MOST_UNSORTED + 1,))
    return bool(count <= _MOST_UNSORTED)


def links_to(connection: sqlite3.Connection, targets: IntArray) -> Entries:
    """Return the links to the given pages, distinct, sorted by target and source."""
    targets = np.unique(targets)
    with _one_moment(connection):
        is_few = len(targets) <= _FEW
        parts = list(_with_keys(connection, LINKS, targets))
        if is_few:
            parts += [_unsorted_to(connection, target) for target in targets.tolist()]
        elif rows := connection.execute(_UNSORTED_LINKS).fetchall():
            entries = link_entries(*zip(*rows, strict=True))
            parts.append(entries.with_keys(targets))
        found = Entries.together(parts)
        found = found.part(~_is_gone(connection, found, is_few=is_few))
    is_first = np.ones(len(found), np.bool_)
    is_first[1:] = (np.diff(found.keys) != 0) | (np.diff(found.values >> 1) != 0)
    return found.part(is_first)


def all_links(connection: sqlite3.Connection) -> Entries:
    """Return all links, distinct, sorted by target and source. Takes 32 bytes of memory per link."""
    with _one_moment(connection):
        [(count,)] = connection.execute("SELECT coalesce(max(id), -1) + 1 FROM page")
        return links_to(connection, np.arange(count, dtype=np.int64))


def pages_with_body(connection: sqlite3.Connection, body_hash: bytes) -> list[int]:
    """Return the pages that may have a body with this hash, ascending; the caller compares the whole hash."""
    with _one_moment(connection):
        key = np.array([body_key(body_hash)], np.int64)
        pages = [entries.values for entries in _with_keys(connection, BODIES, key)]
        unsorted = [page for page, its_hash in connection.execute(_UNSORTED_BODIES) if its_hash == body_hash]
    found: list[int] = np.unique(np.concatenate([np.array(unsorted, np.int64), *pages])).tolist()
    return found


def all_bodies(connection: sqlite3.Connection) -> Entries:
    """Return the entries of all bodies. Takes 16 bytes of memory per body."""
    with _one_moment(connection):
        parts = [
            unpacked(data)
            for (run,) in connection.execute(_RUNS, (BODIES,)).fetchall()
            for (data,) in connection.execute("SELECT data FROM sorted_block WHERE run = ?", (run,))
        ]
        rows = connection.execute(_UNSORTED_BODIES).fetchall()
    keys = np.array([body_key(its_hash) for _, its_hash in rows], np.int64)
    return Entries.together([*parts, Entries(keys, np.array([page for page, _ in rows], np.int64))])


def _with_keys(connection: sqlite3.Connection, kind: str, keys: IntArray) -> Iterator[Entries]:
    """Yield the entries of all runs with one of these keys; `keys` must be distinct and ascending."""
    for (run,) in connection.execute(_RUNS, (kind,)).fetchall():
        place = 0
        while place < len(keys):
            cursor = connection.execute(_FROM, (run, int(keys[place])))
            place = len(keys)
            for first, data in cursor:
                wanted = int(keys.searchsorted(first))
                entries = unpacked(data)
                last = int(entries.keys[-1])
                until = int(keys.searchsorted(last, "right"))
                if wanted == until:  # no key is in this block: go on with the block of the next key
                    place = wanted
                    break
                yield entries.with_keys(keys[wanted:until])
                if until == len(keys) and keys[-1] != last:
                    break


def _unsorted_to(connection: sqlite3.Connection, target: int) -> Entries:
    values = np.array([value for (value,) in connection.execute(_UNSORTED_TO, (target,))], np.int64)
    return Entries(np.full(len(values), target, np.int64), values)


def _is_gone(connection: sqlite3.Connection, links: Entries, *, is_few: bool) -> NDArray[np.bool_]:
    """Return, for each link, whether its source no longer has it."""
    is_gone = np.zeros(len(links), np.bool_)
    if connection.execute("SELECT 1 FROM unlinked LIMIT 1").fetchone() is None:
        return is_gone
    if is_few:
        pairs = json.dumps(list(zip((links.values >> 1).tolist(), links.keys.tolist(), strict=True)))
        sql = (
            "SELECT each.key FROM json_each(?) AS each JOIN unlinked"
            " ON source = each.value ->> 0 AND target = each.value ->> 1"
        )
        is_gone[[place for (place,) in connection.execute(sql, (pairs,))]] = True
        return is_gone
    gone = np.array([(target << 32) | source for source, target in connection.execute("SELECT * FROM unlinked")])
    return np.isin((links.keys << 32) | (links.values >> 1), gone)


@contextmanager
def _one_moment(connection: sqlite3.Connection) -> Iterator[None]:
    """Let all queries in the with block read the same snapshot, since entries move between runs."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
