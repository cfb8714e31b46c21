"""FindGlobalPR on stored graphs: by hand on nine pages, and what holds for every policy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimators import CrawledGraphEstimator
from hinterland.analysis.graph import FloatArray, Graph, IntArray, OffsetArray
from hinterland.analysis.local_domain import LocalDomain, true_ranks
from hinterland.analysis.pagerank import pagerank
from hinterland.crawler.policies import POLICIES, make_policy
from hinterland.lab.experiments.simulation import (
    SimulatedCrawl,
    SimulatedWeb,
    SimulationResult,
    batch_sizes,
    find_global_pagerank,
)

LINKS = {0: [1, 3], 1: [2, 3, 4], 2: [0, 3], 3: [5], 4: [6], 5: [0, 7], 6: [], 7: [], 8: [0]}
"""Pages 0 to 2 are local. All local pages link to 3, one to 4; 5 to 7 lie beyond. 8 cannot be reached."""


def domain(links: dict[int, list[int]] = LINKS, local: int = 3) -> LocalDomain:
    sources = [page for page, targets in links.items() for _ in targets]
    graph = Graph.from_links(sources, [target for targets in links.values() for target in targets], len(links))
    pages = np.arange(len(links), dtype=np.int32)
    return LocalDomain("nine", graph, pages < local, pages // 3, true_ranks(graph))


def random_domain(pages: int = 200, local: int = 40, seed: int = 5) -> LocalDomain:
    rng = np.random.default_rng(seed)
    links = {page: rng.integers(0, pages, rng.integers(0, 6)).tolist() for page in range(pages)}
    return domain(links, local)


def simulated(
    policy: str, of: LocalDomain, budget: int, iterations: int = 5, *, seed: int = 0, throughout: bool = True
) -> SimulationResult:
    return find_global_pagerank(
        SimulatedWeb.drawn(of, seed),
        make_policy(policy, seed),
        {"paper": CrawledGraphEstimator()},
        budget=budget,
        iterations=iterations,
        is_measured_throughout=throughout,
    )


class Recording:
    """Wants a refresh; gives every page the same urgency, and remembers what it was given."""

    uses_links = True
    needs_refresh = True

    def __init__(self) -> None:
        self.found: list[list[int]] = []
        self.fetches: list[tuple[int, list[int]]] = []
        self.refreshes: list[tuple[CrawledGraph, list[int], int]] = []

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        self.found.append(pages.tolist())
        return np.zeros(len(pages))

    def fetched(self, page: int, outlinks: IntArray) -> None:
        self.fetches.append((page, outlinks.tolist()))

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        raise AssertionError("an experiment is never resumed")

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        self.refreshes.append((crawled, waiting.tolist(), batch))
        return lambda: np.zeros(len(waiting))


def recorded(of: LocalDomain, budget: int, iterations: int) -> tuple[Recording, SimulationResult]:
    policy = Recording()
    web = SimulatedWeb.drawn(of, 3)
    return policy, find_global_pagerank(web, policy, {}, budget=budget, iterations=iterations)


# --- by hand ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_indegree_crawls_the_page_that_most_local_pages_link_to() -> None:
    result = simulated("indegree", domain(), budget=1, iterations=1)
    assert set(result.crawled[:3]) == {0, 1, 2}
    assert result.crawled[3:] == [3]


def test_the_estimate_is_measured_against_the_ranks_of_the_whole_graph() -> None:
    result = simulated("indegree", domain(), budget=1, iterations=1)
    truth = domain().truth[:3] / domain().truth[:3].sum()
    for measurement, pages in zip(result.measurements, ([0, 1, 2], [0, 1, 2, 3]), strict=True):
        estimate = pagerank(domain().graph.among(pages))[:3]
        expected = np.abs(estimate / estimate.sum() - truth)
        assert measurement.distances["paper"].l1 == pytest.approx(expected.sum(), abs=1e-8)
        assert measurement.distances["paper"].linf == pytest.approx(expected.max(), abs=1e-8)
    assert [each.outside for each in result.measurements] == [0, 1]
    assert [each.frontier for each in result.measurements] == [2, 2]  # 3 and 4, then 4 and 5


def test_it_ends_early_and_says_so_when_nothing_more_can_be_reached() -> None:
    result = simulated("bfs", domain(), budget=50, iterations=10)
    assert result.is_exhausted
    assert sorted(result.crawled) == list(range(8))
    assert result.last.outside == 5
    assert result.last.frontier == 0


def test_a_budget_that_is_just_enough_is_no_early_end() -> None:
    assert not simulated("bfs", domain(), budget=5).is_exhausted


def test_a_domain_that_links_nowhere_is_measured_once() -> None:
    result = simulated("bfs", domain({0: [1], 1: [0], 2: [0]}, local=2), budget=4)
    assert result.is_exhausted
    assert [each.outside for each in result.measurements] == [0]


@pytest.mark.parametrize(
    "budget, iterations, sizes",
    [(10, 5, [2, 2, 2, 2, 2]), (7, 3, [2, 2, 3]), (2, 5, [1, 1]), (1, 1, [1])],
)
def test_batches_are_as_even_as_whole_numbers_are(budget: int, iterations: int, sizes: list[int]) -> None:
    assert batch_sizes(budget, iterations) == sizes


# --- what a policy learns ------------------------------------------------------------------------


def test_pages_are_numbered_in_the_order_of_discovery() -> None:
    policy, _ = recorded(random_domain(), budget=60, iterations=6)
    assert [page for found in policy.found for page in found] == list(range(sum(map(len, policy.found))))
    known = len(policy.found[0])  # the seeds
    for page, outlinks in policy.fetches:
        new = [each for each in outlinks if each >= known]
        assert page < known
        assert new == list(range(known, known + len(new)))
        known += len(new)


def test_the_local_domain_is_crawled_first_and_batches_are_what_was_asked_for() -> None:
    policy, result = recorded(random_domain(), budget=60, iterations=6)
    assert all(page < 40 for page in result.crawled[:40])
    assert all(page >= 40 for page in result.crawled[40:])
    assert [batch for _, _, batch in policy.refreshes] == [10] * 6
    for step, (crawled, waiting, _) in enumerate(policy.refreshes):
        assert len(crawled.order) == 40 + 10 * step
        assert waiting == np.flatnonzero(~crawled.is_crawled).tolist()
        assert crawled.is_local[crawled.order].tolist() == [True] * 40 + [False] * 10 * step


def test_among_equally_urgent_pages_the_earliest_discovered_are_crawled() -> None:
    policy, _ = recorded(random_domain(), budget=60, iterations=6)
    fetched = [page for page, _ in policy.fetches[40:]]
    for step, (_, waiting, batch) in enumerate(policy.refreshes):
        assert fetched[10 * step : 10 * step + 10] == waiting[:batch]


def test_the_order_of_the_file_shows_neither_in_numbers_nor_in_links() -> None:
    of = random_domain()
    _, result = recorded(of, budget=60, iterations=6)
    assert result.crawled[:40] != list(range(40))
    web = SimulatedWeb.drawn(of, 3)
    rows = [web.names[web.graph.successors(page)] for page in range(200)]
    is_as_in_the_file = [bool((np.diff(row) > 0).all()) for row in rows if len(row) > 1]
    assert 0 < sum(is_as_in_the_file) < len(is_as_in_the_file) / 2


def test_what_the_crawl_knows_is_the_stored_graph_under_other_names() -> None:
    of = random_domain()
    crawl = SimulatedCrawl(SimulatedWeb.drawn(of, 1), make_policy("bfs", 0))
    crawl.crawl_local()
    crawled = crawl.snapshot()
    names = {int(page): int(name) for page, name in zip(crawled.order, crawl.crawled_pages(), strict=True)}
    assert sorted(names.values()) == list(range(40))
    for page, name in names.items():
        assert len(crawled.links.successors(page)) == len(of.graph.successors(name))
        known = {names[each] for each in crawled.links.successors(page).tolist() if each in names}
        assert known == {each for each in of.graph.successors(name).tolist() if each < 40}
        assert (crawled.hosts == crawled.hosts[page])[list(names)].tolist() == [
            of.hosts[other] == of.hosts[name] for other in names.values()
        ]


def test_a_policy_that_gives_no_number_is_refused() -> None:
    class Wrong(Recording):
        def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
            return lambda: np.full(len(waiting), np.nan)

    with pytest.raises(ValueError, match="NaN"):
        find_global_pagerank(SimulatedWeb.drawn(domain(), 0), Wrong(), {}, budget=2, iterations=1)


# --- every policy -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_crawls_all_that_can_be_reached_once(name: str) -> None:
    of = random_domain()
    result = simulated(name, of, budget=1000, iterations=7)
    reachable = of.graph.reachable_from(np.arange(40, dtype=np.int32))
    assert sorted(result.crawled) == reachable.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_repeats_itself_with_the_same_seed(name: str) -> None:
    of = random_domain()
    assert simulated(name, of, 60, seed=4) == simulated(name, of, 60, seed=4)
    assert simulated(name, of, 60, seed=4).crawled != simulated(name, of, 60, seed=5).crawled


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_measuring_only_at_the_end_changes_nothing_there(name: str) -> None:
    of = random_domain()
    always, once = simulated(name, of, 60), simulated(name, of, 60, throughout=False)
    assert len(always.measurements) == 6
    assert len(once.measurements) == 1
    assert always.crawled == once.crawled
    assert always.last.distances["paper"].l1 == pytest.approx(once.last.distances["paper"].l1, abs=1e-8)
