"""Questions to all parts of a crawl that are not joined, by DuckDB over an export of each (docs/scale.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hinterland.cli import main
from tests.crawler.cluster.test_driver import WEB_WIDE, ring
from tests.support.shards import ShardedCrawl
from tests.support.web import LoopbackWeb

QUESTIONS = (
    "SELECT host, count(*) FROM {pages} WHERE outcome = 'fetched' GROUP BY host",
    "SELECT outcome, count(*) FROM {pages} WHERE outcome IS NOT NULL GROUP BY outcome",
    "SELECT count(DISTINCT url) FROM {pages}",
    "SELECT target, count(DISTINCT source) FROM {links} GROUP BY target",
)


def answers(folder: Path) -> list[list[tuple[Any, ...]]]:
    import duckdb

    with duckdb.connect() as database:
        tables = {what: f"'{folder}/*.{what}.parquet'" for what in ("pages", "links")}
        return [sorted(database.sql(question.format(**tables)).fetchall()) for question in QUESTIONS]


def export(store: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for what in ("pages", "links"):
        output = folder / f"{store.stem}.{what}.parquet"
        assert main(["export", str(store), "--format", "parquet", "--what", what, "--output", str(output)]) == 0


@pytest.mark.slow
async def test_shards_together_answer_as_the_joined_store_does(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        parts = ShardedCrawl(web.addresses, ring(web), tmp_path, 3, {"scope": WEB_WIDE})
        await parts.run()
    for number in range(3):
        export(parts.path(number), tmp_path / "parts")
    export(parts.joined(), tmp_path / "whole")
    assert answers(tmp_path / "parts") == answers(tmp_path / "whole")
    assert answers(tmp_path / "parts")[3]
