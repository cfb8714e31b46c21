"""`crawl --cluster local:N` whose command is killed."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from tests.crawler.cluster.test_driver import NAMES, ring, same
from tests.support.crawling import crawl, rows, wait_until
from tests.support.hinterland import start
from tests.support.parser_processes import children
from tests.support.web import Exchange, LoopbackWeb


@pytest.mark.slow
async def test_a_command_that_was_killed_is_gone_on_with_by_resume_alone_and_leaves_no_process(tmp_path: Path) -> None:
    async with LoopbackWeb(latency=0.02) as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope={"kind": "web", "exclude": ("outside",)})
        web.log.clear()
        given = ["--store", str(tmp_path / "all.db"), "--cluster", "local:2"]
        command = await start(
            *("crawl", *seeds, "--scope", "web", "--set", "scope.exclude=outside", *given), web=web, is_itself=True
        )
        await wait_until(lambda: len(web.log) > 15)
        shards = children(command.pid)
        assert len(shards) == 2
        command.kill()
        await command.wait()
        await wait_until(lambda: not any(Path(f"/proc/{shard}").exists() for shard in shards))
        assert not (tmp_path / "all.db").exists()
        command = await start("crawl", "--resume", *given, web=web)
        _, told = await command.communicate()
    assert command.returncode == 0, told
    same(alone.store, tmp_path / "all.db")


@pytest.mark.slow
async def test_parts_whose_command_was_killed_break_off_the_visits_under_way_and_close_their_stores(
    tmp_path: Path,
) -> None:
    async def hang(exchange: Exchange) -> None:
        asked.set()
        await exchange.wait_for_client_to_leave()

    asked = asyncio.Event()
    async with LoopbackWeb() as web:
        seed = web.answer(NAMES[0], "/", hang)
        given = ["--store", str(tmp_path / "all.db"), "--cluster", "local:2"]
        command = await start(
            *("crawl", seed, *given, "--set", "fetching.first_byte_timeout_seconds=600"), web=web, is_itself=True
        )
        await asked.wait()
        parts = [tmp_path / "all.db.shards" / f"{number}.db" for number in range(2)]
        await wait_until(lambda: all(map(is_under_way, parts)), pause=0.05)
        shards = children(command.pid)
        command.kill()
        await command.wait()
        await wait_until(lambda: not any(Path(f"/proc/{shard}").exists() for shard in shards))
    assert [reason for part in parts for (reason,) in rows(part, "SELECT reason FROM run")] == ["aborted", "aborted"]
    waiting = "SELECT url FROM page WHERE state = 'waiting'"
    assert [row for part in parts for row in rows(part, waiting)] == [(seed,)]


def is_under_way(part: Path) -> bool:
    """Whether the crawl of a shard has reported its progress at least once."""
    try:
        return bool(rows(part, "SELECT 1 FROM run WHERE updated_at > started_at"))
    except sqlite3.OperationalError:  # the store is being created
        return False
