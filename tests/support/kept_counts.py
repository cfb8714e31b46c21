"""The counts that a store keeps, and the same counted from its tables."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

from hinterland.storage.reading.opening import reading
from hinterland.storage.values.pages import PAGE_STATES

_FAILURES = """
SELECT outcome, status, count(*) AS pages, count(retry_at) AS retrying, min(page) AS example FROM fetch NOT INDEXED
WHERE outcome NOT IN ('fetched', 'other_type', 'redirected') GROUP BY outcome, status
"""
_ERRORS = f"""
SELECT failure.outcome, failure.status, pages, page.url, fetch.detail
FROM ({_FAILURES}) AS failure JOIN page ON page.id = failure.example JOIN fetch ON fetch.page = failure.example
"""
_HOSTS = """
SELECT host.url, count(page.id), coalesce(sum(page.state = 'waiting'), 0)
FROM host LEFT JOIN page ON page.host = host.id GROUP BY host.id
"""


def assert_counts_are_true(store: Path) -> None:
    """Counts kept by the store, and the views made of them, are what a scan of its tables finds."""
    with closing(sqlite3.connect(store)) as connection:
        pages = connection.execute("SELECT host, is_local, state FROM page").fetchall()
        failures = connection.execute(_FAILURES).fetchall()
        errors = connection.execute(_ERRORS).fetchall()
        hosts = connection.execute(_HOSTS).fetchall()
        assert sorted(connection.execute("SELECT * FROM errors"), key=repr) == sorted(errors, key=repr)
        viewed = connection.execute("SELECT url, pages_known, pages_waiting FROM hosts").fetchall()
        assert sorted(viewed) == sorted(hosts)
        kept = connection.execute("SELECT host, is_local, state, pages FROM page_count WHERE pages <> 0").fetchall()
        assert {tuple(kind): count for *kind, count in kept} == Counter(pages)
    with reading(store) as reports:
        counts = reports.pages.counts()
        for is_local, by_state in ((1, counts.local), (0, counts.outside)):
            counted = Counter(state for _, local, state in pages if local == is_local)
            assert dict(by_state) == dict.fromkeys(PAGE_STATES, 0) | counted
        assert reports.hosts.waiting() == Counter(host for host, _, state in pages if state == "waiting")
        told = [(each.outcome, each.status, each.pages, each.retrying) for each in reports.pages.failures()]
        assert sorted(told, key=repr) == sorted((row[:4] for row in failures), key=repr)
