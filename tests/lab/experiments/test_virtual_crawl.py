"""The live frontier under a virtual clock: polite, complete, and repeatable."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimators import CrawledGraphEstimator
from hinterland.analysis.graph import FloatArray, Graph, IntArray, OffsetArray
from hinterland.analysis.local_domain import LocalDomain, true_ranks
from hinterland.crawler.policies import POLICIES, make_policy
from hinterland.crawler.settings import PolitenessSettings
from hinterland.lab.experiments.simulation import SimulatedWeb, find_global_pagerank
from hinterland.lab.experiments.virtual_crawl import LatencyModel, VirtualCrawl, virtual_crawl


def domain(pages: int = 150, local: int = 30, hosts: int = 10) -> LocalDomain:
    rng = np.random.default_rng(8)
    graph = Graph.from_links(rng.integers(0, pages, 4 * pages), rng.integers(0, pages, 4 * pages), pages)
    numbers = np.arange(pages, dtype=np.int32)
    return LocalDomain("drawn", graph, numbers < local, numbers * hosts // pages, true_ranks(graph))


WEB = SimulatedWeb.drawn(domain(), 2)


def crawled(policy: str, **changes: Any) -> VirtualCrawl:
    options: dict[str, Any] = {
        "budget": 1000,
        "refresh_pages": 10,
        "politeness": PolitenessSettings(),
        "latency": LatencyModel(),
        "connections": 4,
        "seed": 1,
        **changes,
    }
    return virtual_crawl(WEB, make_policy(policy, 0), {"paper": CrawledGraphEstimator()}, **options)


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_run_to_the_end_it_crawls_the_pages_of_the_plain_replay_once(name: str) -> None:
    found = crawled(name).result
    plain = find_global_pagerank(WEB, make_policy(name, 0), {}, budget=1000, iterations=5)
    assert found.is_exhausted
    assert len(found.crawled) == len(set(found.crawled))
    assert sorted(found.crawled) == sorted(plain.crawled)


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_it_repeats_itself_with_the_same_seed(name: str) -> None:
    assert crawled(name) == crawled(name)
    assert crawled(name).visits != crawled(name, seed=2).visits


def test_a_host_is_never_visited_twice_at_once_and_rests_in_between() -> None:
    found = crawled("indegree")
    hosts = {visit.host for visit in found.visits}
    assert len(hosts) == 10
    for host in hosts:
        visits = sorted((each for each in found.visits if each.host == host), key=lambda each: each.started)
        assert visits[0].page == -1  # its robots.txt
        for before, after in pairwise(visits):
            assert after.started >= before.ended + PolitenessSettings().delay_seconds - 1e-9


def test_no_more_visits_are_under_way_than_there_are_connections() -> None:
    found = crawled("random", connections=3)
    under_way = [sum(other.started <= visit.started < other.ended for other in found.visits) for visit in found.visits]
    assert max(under_way) == 3


def test_the_budget_counts_pages_beyond_the_local_ones() -> None:
    found = crawled("bfs", budget=15)
    assert len(found.result.crawled) == 45
    assert not found.result.is_exhausted


def test_it_is_measured_at_intervals_of_pages_and_at_the_end_while_time_goes_on() -> None:
    found = crawled("indegree", budget=15).result
    assert len(found.measurements) == 5  # after 10, 20, 30, 40 and 45 pages
    times = [each.seconds for each in found.measurements]
    assert times == sorted(times)
    assert times[0] > 0
    outside = [name for name in found.crawled if name >= 30]
    assert found.last.outside == len(outside)


def test_a_refresh_orders_the_waiting_pages() -> None:
    """One host, one connection, a refresh after every page: the newest known page is always the next."""

    class Newest:
        uses_links = False
        needs_refresh = True

        def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
            return np.zeros(len(pages))

        def fetched(self, page: int, outlinks: IntArray) -> None:
            pass

        def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
            pass

        def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
            assert batch == 1
            newest.append(int(waiting.max(initial=-1)))
            return lambda: waiting.astype(np.float64)

    newest: list[int] = []
    found = virtual_crawl(
        SimulatedWeb.drawn(domain(hosts=1), 2),
        Newest(),
        {},
        budget=1000,
        refresh_pages=1,
        politeness=PolitenessSettings(),
        latency=LatencyModel(),
        connections=1,
        seed=0,
    )
    pages = [visit.page for visit in found.visits if visit.page >= 0]
    assert len(pages) > 100
    assert pages[1:] == newest[:-1]


def test_slower_hosts_make_a_longer_crawl() -> None:
    def seconds(median: float) -> float:
        return crawled("bfs", latency=LatencyModel(median)).result.last.seconds

    assert seconds(0.1) < seconds(10.0)
    with pytest.raises(ValueError, match="median duration of a visit is 0 seconds"):
        LatencyModel(0)
