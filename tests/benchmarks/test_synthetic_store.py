"""The store that measurements at a million pages are made of, at three hundred."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.synthetic_store import ESTIMATORS, StorePlan, make_store
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.runs import RunState

PLAN = StorePlan(300)
TABLES = ("host", "robots", "page", "fetch", "content", "link", "run", "estimate", "rank")


def rows(store: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(store)) as connection:
        return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "made.db"
    asyncio.run(make_store(path, PLAN))
    return path


@pytest.mark.slow
async def test_the_same_plan_makes_the_same_store(store: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.db"
    await make_store(again, PLAN)
    assert rows(store) == rows(again)


async def test_it_is_of_the_size_and_in_the_proportions_asked_for(store: Path) -> None:
    with reading(store) as reports:
        counts = reports.pages.counts()
        assert abs(reports.pages.fetched() - PLAN.pages) < PLAN.pages / 10
        assert counts.total == PLAN.urls
        assert counts.of("waiting") > PLAN.pages / 3
        assert counts.of("known") > PLAN.pages
        assert 8 * PLAN.pages < reports.links.count() < 16 * PLAN.pages
        assert reports.pages.failures()
        assert len({each.estimator for each in reports.ranks.estimates()}) == 1
        assert reports.ranks.estimator() == ESTIMATORS[0]


@pytest.mark.slow
async def test_hosts_that_failed_say_why(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    await make_store(path, StorePlan(3_000))
    with reading(path) as reports:
        failing = reports.hosts.report({}, 100).failing
    assert failing
    assert all(host.last_error for host in failing)


async def test_every_reference_in_it_is_valid_and_every_page_has_a_finder_visited_before(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        early = connection.execute(
            "SELECT count(*) FROM page JOIN fetch ON fetch.page = page.id JOIN fetch AS found ON found.page = referrer"
            " WHERE found.visit >= fetch.visit"
        ).fetchone()
        assert early == (0,)


async def test_a_killed_one_has_a_run_without_an_end(tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    await make_store(path, StorePlan(300, is_killed=True))
    with reading(path) as reports:
        run = reports.runs.last()
        assert run is not None
        assert run.state is RunState.KILLED
        assert run.progress["pages_fetched"] > 200
