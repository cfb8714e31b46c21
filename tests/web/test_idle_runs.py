"""A run without a visit hides nothing: the dashboard and the front page show the last one that visited anything."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.web.test_pages import client_of, first, get, shown

pytestmark = pytest.mark.slow

LONG_COMMAND = ["crawl", "https://docs.example.org/", "--set", "politeness.delay_seconds=2.5", *["--max-pages"] * 25]


def with_run(crawled_store: Path, path: Path, *runs: tuple[list[str], str | None, dict[str, Any]]) -> Path:
    """A copy of the store after further runs: (command, why it ended or None if it was killed, progress)."""
    shutil.copy(crawled_store, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        [(ended,)] = connection.execute("SELECT max(ended_at) FROM run")
        for number, (command, reason, progress) in enumerate(runs, 1):
            begin = ended + 1_000 * number
            connection.execute(
                "INSERT INTO run (started_at, ended_at, reason, command, settings, progress, updated_at)"
                " VALUES (?, ?, ?, ?, '{}', ?, ?)",
                (begin, reason and begin + 53, reason, json.dumps(command), json.dumps(progress), begin + 53),
            )
    return path


@pytest.mark.parametrize(
    "runs, said",
    [
        ([(["recrawl"], None, {})], "A later run, 2, was killed after 53 s without visiting any page"),
        (
            [(["recrawl"], "interrupted", {})],
            "A later run, 2, ended (interrupted) after 53 s without visiting any page",
        ),
        ([(["crawl"], None, {})] * 12, "A later run, 13, was killed after 53 s without visiting any page"),
    ],
)
async def test_a_run_without_a_visit_does_not_hide_the_crawl(
    runs: Any, said: str, crawled_store: Path, tmp_path: Path
) -> None:
    store = with_run(crawled_store, tmp_path / "s.db", *runs)
    async with client_of(store) as client:
        html = await get(client, "/crawl")
        front = shown(await get(client, "/"))
    assert said in shown(html)
    assert first(html, "#kpi-pages").text() == "39"
    assert "In this run: 39 pages" in shown(html)
    assert "last crawl ended" in front
    assert "was killed" not in front


async def test_a_crawl_that_visits_is_shown_whatever_ran_before(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        assert "without visiting any page" not in shown(await get(client, "/crawl"))


async def test_the_whole_command_of_a_run_is_there(crawled_store: Path, tmp_path: Path) -> None:
    store = with_run(crawled_store, tmp_path / "s.db", (LONG_COMMAND, "exhausted", {}))
    async with client_of(store) as client:
        html = await get(client, "/crawl")
    commands = [" ".join(node.text().split()) for node in LexborHTMLParser(html).css("#live-runs code.command")]
    assert " ".join(LONG_COMMAND) in commands


async def test_after_the_end_no_host_is_said_to_be_visited_next(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        hosts = first(await get(client, "/crawl"), "#live-hosts").text()
    assert "Next fetch" not in hosts
    assert "may be visited" not in hosts
    assert "no waiting pages" in hosts


async def test_what_stops_the_updates_does_not_pose_as_what_pauses_the_crawl(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        html = await get(client, "/crawl")
        script = await get(client, "/static/live.js")
    assert first(html, "#live-pause").text() == "Pause updates"
    assert '"Pause"' not in script
