"""What a crawl lets those who look at its store know of itself."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from hinterland.crawler.loop.decisions.progress_record import ProgressRecord
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics
from tests.support.crawl_statistics import statistics
from tests.support.crawling import crawl, rows
from tests.support.web import LoopbackWeb


def after(seconds: float) -> CrawlStatistics:
    return statistics(seconds, int(seconds * 10))


@pytest.mark.slow
def test_the_course_of_a_long_run_stays_short_and_even() -> None:
    record, course = ProgressRecord(), []
    for tick in range(1, 5001):
        course = record.as_json(after(2.0 * tick))["course"]
        assert course[0] == (0.0, 0, 0, 0)
        assert course[-1][0] == 2.0 * tick
        assert len(course) <= 182
    assert len(course) >= 90
    steps = {later[0] - earlier[0] for earlier, later in pairwise(course[:-1])}
    assert len(steps) == 1
    assert [point[1] for point in course] == [int(point[0] * 10) for point in course]


def test_a_young_run_has_every_point() -> None:
    record = ProgressRecord()
    courses = [record.as_json(after(2.0 * tick))["course"] for tick in (1, 2, 3)]
    assert [point[0] for point in courses[-1]] == [0.0, 2.0, 4.0, 6.0]


async def test_the_store_has_the_course_and_the_frontier_of_a_crawl_that_was_stopped(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        links = [f"/{number}" for number in range(9)]
        seed = web.page("a.test", "/", links=links)
        for link in links:
            web.page("a.test", link)
        await crawl(web.addresses, [seed], tmp_path / "s.db", max_pages=3)
    [(text,)] = rows(tmp_path / "s.db", "SELECT progress FROM run")
    progress = json.loads(text)
    assert progress["course"][-1][1] == 3
    scores = progress["frontier_scores"]
    assert scores["waiting"] == 7
    assert scores["bins"] == [[-1.0, -1.0, 7]]
    assert len(scores["top"]) == 7
