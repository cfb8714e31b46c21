"""How long a crawl takes until all that waits is fetched, and which errors are the latest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hinterland.storage.reading.opening import reading
from hinterland.storage.values.hosts import Host, HostsReport
from hinterland.storage.values.pages import PageCounts
from hinterland.storage.values.runs import RunReport, RunState
from hinterland.web.crawl_report import CrawlReport, rates_of, seconds_left
from tests.support.crawling import rows
from tests.web.test_pages import client_of, get, shown


def report_of(state: RunState, progress: dict[str, Any], hosts: list[Host], waiting: dict[int, int]) -> CrawlReport:
    none = HostsReport(0, 0, 0, [], [], [], [])
    run = RunReport(1, state, 0.0, 50.0, None, ["crawl"], progress)
    return CrawlReport("s.db", 1, 0.0, 7, [run], 1, PageCounts({}, {}), [], none, hosts, waiting, [], {}, [])


@pytest.fixture
def host(crawled_store: Path) -> Host:
    with reading(crawled_store) as store:
        found = store.hosts.host(0)
    assert found is not None
    return replace(found, rest_seconds=2.0)


def test_what_waits_takes_as_long_as_its_rate_and_the_longest_queue_have_it(host: Host) -> None:
    course = [(0.0, 0, 0, 0), (10.0, 50, 0, 0), (20.0, 100, 0, 0)]  # five pages a second
    progress = {"course": course, "frontier": {"waiting": 600}}
    rates = rates_of(progress)
    assert seconds_left(report_of(RunState.RUNNING, progress, [], {}), rates) == 120.0
    assert seconds_left(report_of(RunState.RUNNING, progress, [host], {0: 500}), rates) == 1000.0
    assert seconds_left(report_of(RunState.RUNNING, progress, [host], {0: 5}), None) is None
    ended = next(each for each in RunState if each is not RunState.RUNNING)
    assert seconds_left(report_of(ended, progress, [host], {0: 5}), rates) is None
    assert seconds_left(report_of(RunState.RUNNING, {**progress, "frontier": {"waiting": 0}}, [], {}), rates) is None


def test_nobody_waits_for_hosts_that_are_given_up_nor_longer_than_the_budget_lasts(host: Host) -> None:
    course = [(0.0, 0, 0, 0), (10.0, 50, 0, 0), (20.0, 100, 0, 0)]  # five pages a second
    progress = {"course": course, "frontier": {"waiting": 600, "stranded": 500}, "fetched_before": 0}
    rates = rates_of(progress)
    lost = replace(host, is_given_up=True)
    assert seconds_left(report_of(RunState.RUNNING, progress, [lost], {0: 500}), rates) == 20.0
    bounded = progress | {"max_pages": 150, "pages_fetched": 100}
    assert seconds_left(report_of(RunState.RUNNING, bounded, [], {}), rates) == 10.0
    outside = {"phase": "hinterland", "budget": 40, "pages_fetched": 15}
    assert seconds_left(report_of(RunState.RUNNING, progress | {"hinterland": outside}, [], {}), rates) == 5.0
    at_home = outside | {"phase": "local"}
    assert seconds_left(report_of(RunState.RUNNING, progress | {"hinterland": at_home}, [], {}), rates) == 20.0


def test_where_pages_are_looked_at_again_the_rates_are_of_visits_and_under_a_budget_by_the_day() -> None:
    progress = {"course": [(0.0, 0, 0, 0), (43_200.0, 0, 6, 0), (86_400.0, 1, 24, 0)]}
    kinds: list[dict[str, Any]] = [{}, {"revisits": {"outlook": None}}, {"revisits": {"outlook": {"age": 1}}}]
    found = [rates for each in kinds if (rates := rates_of(progress | each)) is not None]
    read, once, paced = found
    assert (read.counted, once.counted, paced.counted) == ("pages", "visits", "visits")
    assert (read.per, once.per, paced.per) == ("second", "second", "day")
    assert [visits for _, visits, _ in paced.points] == [12.0, 36.0]
    assert [visits for _, visits, _ in once.points] == pytest.approx([6 / 43_200, 18 / 43_200])
    waiting = report_of(RunState.RUNNING, {"frontier": {"waiting": 36}}, [], {})
    assert seconds_left(waiting, paced) == 86_400.0


async def test_the_latest_errors_are_listed_and_no_refusal_by_robots_txt(crawled_store: Path) -> None:
    wanted = rows(
        crawled_store,
        "SELECT page.id FROM fetch JOIN page ON page.id = fetch.page WHERE outcome NOT IN"
        " ('fetched', 'other_type', 'redirected', 'robots') ORDER BY started_at DESC LIMIT 10",
    )
    with reading(crawled_store) as store:
        latest = store.lists.latest_failures(10)
    assert [each.page.number for each in latest] == [number for (number,) in wanted]
    assert latest
    async with client_of(crawled_store) as client:
        text = shown(await get(client, "/crawl"))
    assert f"{latest[0].outcome} {latest[0].status} {latest[0].page.url}" in text
