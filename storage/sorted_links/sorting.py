"""Sorts unsorted links and bodies into runs, and merges runs, in short steps."""

from __future__ import annotations

import sqlite3
from typing import Final

from hinterland.storage.schema import LINK_KINDS
from hinterland.storage.sorted_links.entries import Entries, body_entries, link_entries, packed, unpacked

LINKS, BODIES = "links", "bodies"
"""The kinds of runs."""
ENTRIES_AT_ONCE: Final = 1 << 16
"""How many links are sorted into a run; that takes some 50 ms."""
_PAGES_AT_ONCE: Final = 1 << 14
_MERGED: Final = 16
"""How many runs are merged into one."""
_BLOCKS_AT_ONCE: Final = 4
"""How many blocks of a run are merged in one step at most; blocks that are moved in part are written again."""

REDIRECT: Final = LINK_KINDS.index("redirect")
_UNSORTED_LINKS: Final = f"""
SELECT unsorted.id, page, group_concat(target << 1 | (kind = {REDIRECT}))
FROM unsorted LEFT JOIN link ON link.source = page GROUP BY unsorted.id ORDER BY unsorted.id LIMIT {_PAGES_AT_ONCE}
"""
_UNSORTED_BODIES: Final = """
SELECT DISTINCT fetch.page, body_hash FROM unsorted CROSS JOIN fetch ON fetch.page = unsorted.page
WHERE unsorted.id <= ? AND outcome = 'fetched' AND body_hash IS NOT NULL
"""
_NEW_RUN: Final = "INSERT INTO sorted_run (kind, level) VALUES (?, ?)"
_MERGE: Final = """
UPDATE sorted_run SET into_run = ? WHERE id IN (
    SELECT id FROM sorted_run WHERE kind = ? AND level = ? AND id <> ? ORDER BY id LIMIT ?)
"""
_NEW_BLOCK: Final = "INSERT INTO sorted_block (run, last, first, data) VALUES (?, ?, ?, ?)"
_FULL_LEVEL: Final = (
    "SELECT kind, level FROM sorted_run GROUP BY kind, level HAVING count(*) >= ? ORDER BY level LIMIT 1"
)
_BLOCKS: Final = "SELECT id, first, data FROM sorted_block WHERE run = ? ORDER BY last, id"
_END: Final = "SELECT last FROM sorted_block WHERE run = ? ORDER BY last, id LIMIT 1 OFFSET ?"
_LAST: Final = (1 << 63) - 1


def sort_some(connection: sqlite3.Connection) -> bool:
    """Sort the links and bodies of the first unsorted pages into runs; return whether there were any.

    The caller begins and ends the transaction.
    """
    sources, targets, links, until = list[int](), list[str](), 0, -1
    cursor = connection.execute(_UNSORTED_LINKS)
    for number, page, text in cursor:
        until = number
        if text is not None:
            sources.append(page)
            targets.append(text)
            links += text.count(",") + 1
            if links >= ENTRIES_AT_ONCE:
                break
    cursor.close()
    if until < 0:
        return False
    bodies = connection.execute(_UNSORTED_BODIES, (until,)).fetchall()
    if sources:
        _write_run(connection, LINKS, link_entries(sources, targets))
    if bodies:
        _write_run(connection, BODIES, body_entries(*zip(*bodies, strict=True)))
    connection.execute("DELETE FROM unsorted WHERE id <= ?", (until,))
    return True


def merge_some(connection: sqlite3.Connection) -> bool:
    """Take one step of merging runs; return whether there was anything to merge.

    The caller begins and ends the transaction.
    """
    row = connection.execute("SELECT into_run FROM sorted_run WHERE into_run IS NOT NULL LIMIT 1").fetchone()
    if row is not None:
        _merge_step(connection, row[0])
        return True
    full = connection.execute(_FULL_LEVEL, (_MERGED,)).fetchone()
    if full is None:
        return False
    kind, level = full
    new = connection.execute(_NEW_RUN, (kind, level + 1)).lastrowid
    connection.execute(_MERGE, (new, kind, level, new, _MERGED))
    return True


def sort_again(connection: sqlite3.Connection) -> None:
    """Delete all runs and sort everything. Call it after other statements have removed or renumbered rows."""
    for table in ("sorted_block", "sorted_run", "unlinked", "unsorted"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("INSERT INTO unsorted (page) SELECT page FROM fetch ORDER BY page")
    sort_all(connection)


def sort_all(connection: sqlite3.Connection) -> None:
    """Sort everything that is unsorted, and merge runs until nothing is left to merge. Each step is a transaction."""
    is_more = True
    while is_more:
        connection.execute("BEGIN IMMEDIATE")
        try:
            is_more = merge_some(connection) or sort_some(connection)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def _write_run(connection: sqlite3.Connection, kind: str, entries: Entries) -> None:
    run = connection.execute(_NEW_RUN, (kind, 0)).lastrowid
    assert run is not None
    _write_blocks(connection, run, entries)


def _write_blocks(connection: sqlite3.Connection, run: int, entries: Entries) -> None:
    rows = [(run, int(each.keys[-1]), int(each.keys[0]), packed(each)) for each in entries.blocks()]
    connection.executemany(_NEW_BLOCK, rows)


def _merge_step(connection: sqlite3.Connection, into: int) -> None:
    """Move the entries with the smallest keys from the merged runs into the run `into`.

    Removing and adding are in the same transaction, so a reader finds each entry in exactly one run.
    """
    runs = [run for (run,) in connection.execute("SELECT id FROM sorted_run WHERE into_run = ?", (into,))]
    ends = [end for run in runs for (end,) in connection.execute(_END, (run, _BLOCKS_AT_ONCE - 1))]
    bound = min(ends, default=_LAST)
    moved = list[Entries]()
    for run in runs:
        blocks = _blocks_until(connection, run, bound)
        if not blocks and bound == _LAST:
            connection.execute("DELETE FROM sorted_run WHERE id = ?", (run,))
        for block, entries in blocks:
            count = int(entries.keys.searchsorted(bound, "right"))
            moved.append(entries.part(slice(count)))
            if count == len(entries):
                connection.execute("DELETE FROM sorted_block WHERE id = ?", (block,))
            else:
                rest = entries.part(slice(count, None))
                change = "UPDATE sorted_block SET first = ?, data = ? WHERE id = ?"
                connection.execute(change, (int(rest.keys[0]), packed(rest), block))
    _write_blocks(connection, into, Entries.together(moved))


def _blocks_until(connection: sqlite3.Connection, run: int, bound: int) -> list[tuple[int, Entries]]:
    """Return (id, block) for the blocks of a run whose first key is at most `bound`."""
    found = list[tuple[int, Entries]]()
    for block, first, data in connection.execute(_BLOCKS, (run,)):
        if first > bound:
            break
        found.append((block, unpacked(data)))
    return found
