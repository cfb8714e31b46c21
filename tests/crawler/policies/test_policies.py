"""The orders: one loop of invariants over all of them, and six pages by hand for each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.outside_model import outside_model
from hinterland.analysis.link_log import LinkLog
from hinterland.analysis.sampling import sampling_numbers
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.frontier.waiting_pages import WaitingPages
from hinterland.crawler.policies import GRAPH_POLICIES, POLICIES, make_policy
from hinterland.crawler.policies.pagerank_order import PageRankOrder

pytestmark = pytest.mark.slow

Links = dict[int, list[int]]

REFRESHING = [name for name in POLICIES if make_policy(name, 0).needs_refresh]

SIX_PAGES: Links = {0: [1, 2], 1: [3, 4], 2: [4, 1], 3: [], 4: [5, 2], 5: [0, 2]}
"""Page 0 is the seed; numbers are in the order of discovery by breadth-first search."""


@dataclass(slots=True)
class Crawl:
    """A crawl of one host that answers at once. It keeps what the policy learnt and what it returned."""

    policy: FrontierPolicy
    links: Links
    order: list[int] = field(default_factory=list)  # by name, of the pages fetched
    urgencies: list[list[float]] = field(default_factory=list)

    def run(self, refresh_every: int = 1) -> Crawl:
        numbers, depths, waiting = {0: 0}, {0: 0}, WaitingPages()
        log = LinkLog()
        self._discover(waiting, [0], [0])
        while len(waiting):
            if self.policy.needs_refresh and len(self.order) % refresh_every == 0:
                snapshot = waiting.begin_reordering()
                compute = self.policy.begin_refresh(snapshot_of(log, len(numbers)), snapshot.pages, refresh_every)
                waiting.install(snapshot.sorted(compute()))
            page = waiting.take(0)
            name = next(name for name, number in numbers.items() if number == page)
            self.order.append(name)
            new = [target for target in dict.fromkeys(self.links[name]) if target not in numbers]
            for target in new:
                numbers[target], depths[target] = len(numbers), depths[name] + 1
            targets = dict.fromkeys(numbers[target] for target in self.links[name])
            outlinks = np.fromiter(targets, np.int32, len(targets))
            self.policy.fetched(page, outlinks)
            log.append(page, outlinks)
            if new:
                self._discover(waiting, [numbers[target] for target in new], [depths[target] for target in new])
        return self

    def _discover(self, waiting: WaitingPages, pages: Sequence[int], depths: Sequence[int]) -> None:
        found = np.array(pages, np.int32)
        urgencies = self.policy.discovered(found, np.array(depths, np.int32))
        assert urgencies.shape == found.shape
        assert urgencies.dtype == np.float64
        assert np.isfinite(urgencies).all()
        self.urgencies.append(urgencies.tolist())
        waiting.add(found, np.zeros(len(found), np.int32), urgencies)


def snapshot_of(log: LinkLog, pages: int) -> CrawledGraph:
    """All pages are of one host, the first half of them local."""
    return log.snapshot(np.arange(pages) < max(pages // 2, 1), np.zeros(pages, np.int32))


def tell_all(policy: FrontierPolicy, links: Links) -> None:
    """As a restart does, of pages that were fetched in the order of `links`."""
    ends = np.cumsum([len(targets) for targets in links.values()], dtype=np.int64)
    targets = np.array([target for targets in links.values() for target in targets], np.int32)
    policy.fetched_all(np.array(list(links), np.int32), ends, targets)


def random_links(pages: int = 120, seed: int = 5) -> Links:
    rng = np.random.default_rng(seed)
    links = {page: rng.integers(0, pages, rng.integers(0, 8)).tolist() for page in range(pages)}
    for page in range(1, pages):
        links[int(rng.integers(0, page))].append(page)
    return links


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_fetches_all_pages_once_whatever_the_order(name: str) -> None:
    crawl = Crawl(make_policy(name, 3), random_links()).run(refresh_every=10)
    assert sorted(crawl.order) == list(range(120))


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_repeats_itself_when_it_is_given_the_same_seed(name: str) -> None:
    first = Crawl(make_policy(name, 3), random_links()).run(refresh_every=10)
    second = Crawl(make_policy(name, 3), random_links()).run(refresh_every=10)
    assert first == Crawl(first.policy, second.links, second.order, second.urgencies)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_says_whether_it_refreshes(name: str) -> None:
    policy = make_policy(name, 0)
    policy.discovered(np.arange(5, dtype=np.int32), np.zeros(5, np.int32))
    waiting, nothing = np.array([1, 4], np.int32), snapshot_of(LinkLog(), 5)
    if policy.needs_refresh:
        urgencies = policy.begin_refresh(nothing, waiting, 1)()
        assert urgencies.shape == (2,)
        assert urgencies.dtype == np.float64
        assert np.isfinite(urgencies).all()
        assert policy.begin_refresh(nothing, np.empty(0, np.int32), 1)().shape == (0,)
    else:
        with pytest.raises(RuntimeError, match="never changes"):
            policy.begin_refresh(nothing, waiting, 1)


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_given_all_links_again_after_a_restart_ranks_waiting_pages_as_before(name: str) -> None:
    """As after a kill: first every page's links, if the policy uses any; then all that waits, as it was found."""
    live, resumed = make_policy(name, 3), make_policy(name, 3)
    log = LinkLog()
    links = {0: [1, 2, 3], 1: [3, 4], 2: [4, 3, 5]}
    answers = {}
    numbers_found = {0: [1, 2, 3], 1: [4], 2: [5]}
    for page, targets in links.items():
        live.fetched(page, np.array(targets, np.int32))
        log.append(page, np.array(targets, np.int32))
        found = numbers_found[page]
        depths = np.full(len(found), 1 if page == 0 else 2, np.int32)
        answers.update(dict(zip(found, live.discovered(np.array(found, np.int32), depths).tolist(), strict=True)))
    if resumed.uses_links:
        tell_all(resumed, links)
    again = {}
    for found, depth in (([3], 1), ([4], 2), ([5], 2)):
        told = resumed.discovered(np.array(found, np.int32), np.array([depth], np.int32))
        again.update(dict(zip(found, told.tolist(), strict=True)))
    waiting = np.array([3, 4, 5], np.int32)
    if live.needs_refresh:
        before, after = (each.begin_refresh(snapshot_of(log, 6), waiting, 3)() for each in (live, resumed))
    else:
        before, after = (np.array([which[page] for page in (3, 4, 5)]) for which in (answers, again))
    assert np.argsort(-before, kind="stable").tolist() == np.argsort(-after, kind="stable").tolist()


@pytest.mark.parametrize("name", REFRESHING)
def test_a_refresh_tells_the_state_of_the_moment_it_began(name: str) -> None:
    """It runs in a thread while the crawl goes on."""
    waiting = np.array([1, 2, 3], np.int32)
    answers = []
    for goes_on in (False, True):
        policy, log = make_policy(name, 0), LinkLog()
        policy.fetched(0, np.array([2], np.int32))
        log.append(0, np.array([2], np.int32))
        policy.discovered(waiting, np.zeros(3, np.int32))
        compute = policy.begin_refresh(snapshot_of(log, 4), waiting, 1)
        if goes_on:
            more = np.array([3, 100_000], np.int32)
            policy.fetched(1, more)
            log.append(1, more)
        answers.append(compute().tolist())
    assert answers[0] == answers[1]


@pytest.mark.parametrize("name", REFRESHING)
def test_a_refresh_ranks_pages_outside_that_were_never_discovered(name: str) -> None:
    policy, log, count = make_policy(name, 0), LinkLog(), 5000  # beyond what any of them begins with room for
    outlinks = np.arange(1, count, dtype=np.int32)
    for page, targets in ((0, outlinks), (1, outlinks[-1:])):
        policy.fetched(page, targets)
        log.append(page, targets)
        crawled = log.snapshot(np.arange(count) < 2, np.zeros(count, np.int32))
        candidates = np.array([3, count - 1], np.int32)
        urgencies = policy.begin_refresh(crawled, candidates, 1)()
        assert urgencies.shape == (2,)
        assert np.isfinite(urgencies).all()
    policy.fetched(count - 1, np.array([0], np.int32))


def test_bfs_goes_level_by_level_in_the_order_of_discovery() -> None:
    assert Crawl(make_policy("bfs", 0), SIX_PAGES).run().order == [0, 1, 2, 3, 4, 5]


def test_dfs_follows_what_was_found_last_and_the_first_link_of_it() -> None:
    assert Crawl(make_policy("dfs", 0), SIX_PAGES).run().order == [0, 1, 3, 4, 5, 2]


def test_indegree_fetches_first_what_most_fetched_pages_link_to() -> None:
    # after 0 and 1: {2: 1, 3: 1, 4: 1}, the oldest is 2; after 2: {3: 1, 4: 2}; after 4: {3: 1, 5: 1}
    assert Crawl(make_policy("indegree", 0), SIX_PAGES).run().order == [0, 1, 2, 4, 3, 5]


def snapshot(rows: Links, pages: int, local: Sequence[int]) -> CrawledGraph:
    log = LinkLog()
    for page, targets in rows.items():
        log.append(page, np.array(targets, np.int32))
    return log.snapshot(np.isin(np.arange(pages), local), np.zeros(pages, np.int32))


def refreshed(name: str, rows: Links, pages: int, local: Sequence[int], waiting: Sequence[int]) -> list[float]:
    policy = make_policy(name, 0)
    policy.discovered(np.arange(pages, dtype=np.int32), np.zeros(pages, np.int32))
    for page, targets in rows.items():
        policy.fetched(page, np.array(targets, np.int32))
    answer: list[float] = policy.begin_refresh(snapshot(rows, pages, local), np.array(waiting, np.int32), 1)().tolist()
    return answer


def found_by(policy: FrontierPolicy, page: int, outlinks: Sequence[int], new: Sequence[int]) -> list[float]:
    policy.fetched(page, np.array(outlinks, np.int32))
    urgencies: list[float] = policy.discovered(np.array(new, np.int32), np.zeros(len(new), np.int32)).tolist()
    return urgencies


def test_outlink_count_counts_the_links_of_local_pages_only() -> None:
    rows = {0: [2, 3], 1: [2, 3, 4], 5: [3, 4]}
    assert refreshed("outlink-count", rows, 6, [0, 1], [2, 3, 4]) == [2.0, 2.0, 1.0]
    assert refreshed("outlink-count", rows, 6, [5], [2, 3, 4]) == [0.0, 1.0, 1.0]


def test_outlink_count_takes_the_first_link_to_a_page_as_it_comes() -> None:
    policy = make_policy("outlink-count", 0)
    assert found_by(policy, 0, [1, 2], [1, 2]) == [1.0, 1.0]
    policy.begin_refresh(snapshot({0: [1, 2]}, 3, [0, 1]), np.array([1, 2], np.int32), 1)()
    assert found_by(policy, 1, [3], [3]) == [1.0]
    assert found_by(policy, 2, [4], [4]) == [0.0]


def test_opic_hands_the_cash_of_a_page_to_its_outlinks() -> None:
    # 0 has 1 and gives 1/2 each; then 1 has 1.5 and gives 0.75 each; 3 begins with 1 of its own.
    assert refreshed("opic", {0: [1, 2]}, 4, [0], [1, 2, 3]) == [1.5, 1.5, 1.0]
    assert refreshed("opic", {0: [1, 2], 1: [2, 3]}, 4, [0], [2, 3]) == [2.25, 1.75]
    assert refreshed("opic", {0: [1, 2], 1: [1, 2, 3]}, 4, [0], [2, 3]) == [2.25, 1.75]  # not to itself


def test_opic_hands_the_cash_of_a_page_without_links_to_all_that_are_known() -> None:
    # 1 has 1.5, of which 0, 1 and 2 get 0.5 each; 3 is found later, by 2, which has 1.5 + 0.5.
    assert refreshed("opic", {0: [1, 2], 1: []}, 3, [0], [2]) == [2.0]
    assert refreshed("opic", {0: [1, 2], 1: [], 2: [3]}, 4, [0], [3]) == [3.0]
    # 3 was not known when 1 gave.
    assert refreshed("opic", {0: [1, 2], 1: [], 3: [4]}, 5, [0], [2, 4]) == [2.0, 2.0]


def test_opic_tells_new_pages_their_cash_at_once() -> None:
    policy = make_policy("opic", 0)
    assert policy.discovered(np.array([0], np.int32), np.zeros(1, np.int32)).tolist() == [1.0]
    assert found_by(policy, 0, [1, 2], [1, 2]) == [1.5, 1.5]
    assert found_by(policy, 2, [1, 5000], [5000]) == [1.75]


def test_pagerank_ranks_the_frontier_in_the_known_graph() -> None:
    # Without what is common to all: 0 has b, 1 has b (1 + 0.85/2), 2 has b (1 + 0.85/2 + 0.85 (1 + 0.85/2)).
    b = 1 / (1 + 1.425 + 1 + 0.425 + 0.85 * 1.425)
    ranks = refreshed("pagerank", {0: [1, 2], 1: [2]}, 3, [0], [2])
    assert ranks == pytest.approx([b * (1.425 + 0.85 * 1.425)], abs=1e-6)


def test_flow_weighs_a_link_by_the_rank_of_its_page_and_the_links_that_stay_inside() -> None:
    # F is 0 <-> 1, a half each, one link inside from each. 2 is linked from both, 3 from 1, 4 from nobody.
    assert refreshed("flow", {0: [1, 2], 1: [0, 2, 3]}, 5, [0], [2, 3, 4]) == pytest.approx([0.5, 0.25, 0.0], abs=1e-6)


def test_sc_select_scores_the_change_of_the_local_pages() -> None:
    # F is 0 <-> 1 with f = (1/2, 1/2), s = (1/2, 1/2), w = 0.15 / 3 = 0.05, z = (0.425 + 0.05) / 0.95 = 1/2,
    # y = -0.15 / 6. Linked from 0: g = 0.05 + 0.85/4, x = (0, -0.85/4), so the changes are 0.10625 and -0.10625.
    rows = {0: [1, 2], 1: [0]}
    assert refreshed("sc-select", rows, 3, [0, 1], [2]) == pytest.approx([0.2125], abs=1e-5)
    assert refreshed("sc-select", rows, 3, [0], [2]) == pytest.approx([0.10625], abs=1e-5)


@pytest.mark.parametrize("name", ["pagerank", "flow", "sc-select"])
def test_pages_found_after_a_refresh_get_a_part_of_the_urgency_of_who_found_them(name: str) -> None:
    policy, waiting = make_policy(name, 0), np.array([1, 2], np.int32)
    assert found_by(policy, 0, [1, 2, 3, 0], [1, 2]) == [0.2, 0.2]  # a seed has 1
    compute = policy.begin_refresh(snapshot({0: [1, 2, 3]}, 4, [0]), waiting, 1)
    assert found_by(policy, 1, [4], [4]) == [0.1]  # the refresh is under way
    first, second = compute().tolist()
    assert found_by(policy, 2, [5, 6, 7], [5, 6]) == pytest.approx([second / 4] * 2)
    assert found_by(policy, 4, [8], [8]) == [0.05]  # found while the refresh was under way
    assert found_by(policy, 1, [9], [9]) == pytest.approx([first / 2])
    assert found_by(policy, 9, [5000], [5000]) == pytest.approx([first / 4])


@pytest.fixture(scope="module")
def compiled_by() -> dict[str, dict[str, dict[str, list[str]]]]:
    """Policy -> what it had compiled after the warm-up and after refreshes.

    Each in a process of its own, where nobody else has compiled anything: forks of one that has imported all, as
    importing takes a second.
    """
    done = subprocess.run([sys.executable, "-c", WARMED_UP, *REFRESHING], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return {found["name"]: found for found in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", REFRESHING)
def test_after_the_warm_up_a_refresh_compiles_nothing(
    name: str, compiled_by: dict[str, dict[str, dict[str, list[str]]]]
) -> None:
    compiled = compiled_by[name]
    assert compiled["again"] == compiled["warm"]
    assert any(compiled["warm"].values()) == (name in GRAPH_POLICIES and name != "opic")


ROOT = Path(__file__).parents[3]
WARMED_UP = """
import json, os, sys
import numpy as np
import hinterland.analysis.machine_code
from hinterland.analysis.compiled import Compiled
from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.policies import make_policy
from hinterland.crawler.policies.warm_up import warm_up
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.settings import PolitenessSettings, ScopeSettings

def signatures():
    modules = [module for name, module in sys.modules.items() if name.startswith("hinterland.")]
    functions = [each for module in modules for each in vars(module).values() if isinstance(each, Compiled)]
    assert functions
    return {each.__qualname__: sorted(map(str, each.dispatcher().nopython_signatures)) for each in functions}

def refresh(name):
    warm_up(name)
    warm = signatures()
    known, discoveries = KnownPages(Scope(ScopeSettings()), max_depth=None), Discoveries()
    frontier, policy, log = Frontier(PolitenessSettings(), random=float), make_policy(name, 0), LinkLog()
    known.add_seeds(["http://a.test/"], discoveries)
    for page in range(3):
        for _ in discoveries.new_hosts:
            frontier.add_host()
        found = np.array(discoveries.admitted, np.int32)
        urgencies = policy.discovered(found, np.zeros(len(found), np.int32))
        frontier.add(found, np.array(discoveries.admitted_hosts, np.int32), urgencies, 0.0)
        discoveries = Discoveries()
        targets = known.add_links([f"http://a.test/{page}{k}" for k in range(3)], None, page, discoveries)
        outlinks = np.fromiter(targets, np.int32, len(targets))
        policy.fetched(page, outlinks)
        log.append(page, outlinks)
        order = frontier.begin_reordering()
        compute = policy.begin_refresh(log.snapshot(known.local_mask(), known.hosts()), order.pages, 10)
        frontier.install(order.sorted(compute()), 0.0)
    print(json.dumps({"name": name, "warm": warm, "again": signatures()}), flush=True)

for name in sys.argv[1:]:
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0, name
    else:
        refresh(name)
        os._exit(0)
"""


def test_random_has_an_order_for_every_seed_and_all_of_them_come_up() -> None:
    firsts = {tuple(Crawl(make_policy("random", seed), SIX_PAGES).run().order[:2]) for seed in range(20)}
    assert firsts == {(0, 1), (0, 2)}
    assert (
        Crawl(make_policy("random", 7), SIX_PAGES).run().order == Crawl(make_policy("random", 7), SIX_PAGES).run().order
    )


def test_random_urgencies_are_spread_evenly_and_take_any_seed() -> None:
    for seed in (0, -1, 2**63, 2**70):
        urgencies = make_policy("random", seed).discovered(
            np.arange(10_000, dtype=np.int32), np.zeros(10_000, np.int32)
        )
        counts, _ = np.histogram(urgencies, bins=10, range=(0, 1))
        assert counts.sum() == 10_000
        assert 850 < counts.min() <= counts.max() < 1150


def test_random_urgencies_do_not_depend_on_when_a_page_is_found() -> None:
    pages, depths = np.arange(20, dtype=np.int32), np.zeros(20, np.int32)
    at_once = make_policy("random", 1).discovered(pages, depths)
    policy = make_policy("random", 1)
    assert [float(policy.discovered(pages[n : n + 1], depths[:1])[0]) for n in range(20)] == at_once.tolist()


def return_flow_order(crawled: CrawledGraph) -> list[int]:
    frontier = np.flatnonzero(~crawled.is_crawled).astype(np.int32)
    policy = make_policy("return-flow", 0)
    policy.discovered(np.arange(crawled.page_count, dtype=np.int32), np.zeros(crawled.page_count, np.int32))
    urgencies = policy.begin_refresh(crawled, frontier, 10)()
    order: list[int] = frontier[np.argsort(-urgencies, kind="stable")].tolist()
    return order


def by_promise(crawled: CrawledGraph) -> list[int]:
    """Frontier pages by (0.01 + h/h̄) √(1 + c), page by page."""
    frontier = np.flatnonzero(~crawled.is_crawled).tolist()
    h = outside_model(crawled, tolerance=1e-4).return_probabilities.tolist()
    mean = sum(h[page] for page in frontier) / len(frontier)

    def promise(page: int) -> float:
        linking = [source for source in crawled.local.tolist() if page in crawled.links.successors(source)]
        return float((0.01 + (h[page] / mean if mean else 0)) * (1 + len(linking)) ** 0.5)

    return sorted(frontier, key=promise, reverse=True)


def test_return_flow_takes_nine_of_ten_pages_by_what_they_promise_and_one_at_random() -> None:
    crawled = crawl_of_hosts(leads_back=True)
    promising = by_promise(crawled)
    sample = sorted(promising, key=lambda page: sampling_numbers(np.array([page], np.int32)).item())
    expected = {*promising[:45], *sample[:5]}
    assert len(expected) > 47
    assert set(return_flow_order(crawled)[: len(expected)]) == expected


def test_return_flow_goes_by_local_links_until_something_leads_back() -> None:
    crawled = crawl_of_hosts(leads_back=False)
    assert not outside_model(crawled).return_probabilities.any()
    before_the_sample = 4
    assert return_flow_order(crawled)[:before_the_sample] == by_promise(crawled)[:before_the_sample]


def test_return_flow_orders_alike_whether_the_pages_have_been_ranked_or_not() -> None:
    crawled = crawl_of_hosts(leads_back=True)
    before = return_flow_order(crawled)
    outside_model(crawled)
    assert return_flow_order(crawled) == before


def crawl_of_hosts(*, leads_back: bool) -> CrawledGraph:
    """Ten local pages, then forty of 400 others on seven hosts; those of two hosts link to local pages, if any do."""
    rng, log, pages = np.random.default_rng(3), LinkLog(), 410
    hosts = np.where(np.arange(pages) < 10, 7, np.arange(pages) % 7).astype(np.int32)
    for page in range(50):
        outlinks = rng.integers(10, pages, 12)
        if leads_back and page >= 10 and hosts[page] < 2:
            outlinks[:4] = rng.integers(0, 10, 4)
        log.append(page, np.unique(outlinks).astype(np.int32))
    return log.snapshot(np.arange(pages) < 10, hosts)


@pytest.mark.parametrize("name", [name for name in POLICIES if make_policy(name, 0).uses_links])
def test_a_policy_given_many_fetched_pages_at_once_knows_what_it_would_know_one_by_one(name: str) -> None:
    """To the last bit; some pages link to nothing, some to themselves alone or among others."""
    lots = np.random.default_rng(4)
    links = {page: lots.permutation(5000)[: lots.integers(0, 6)].tolist() for page in lots.permutation(3000).tolist()}
    links |= {3000: [], 3001: [3001], 3002: [7, 3002, 6000]}
    one_by_one, at_once = make_policy(name, 1), make_policy(name, 1)
    for page, targets in links.items():
        one_by_one.fetched(page, np.array(targets, np.int32))
    tell_all(at_once, links)
    waiting, nothing = np.arange(6001, dtype=np.int32), snapshot_of(LinkLog(), 6001)
    answers = [policy.begin_refresh(nothing, waiting, 1)().tolist() for policy in (one_by_one, at_once)]
    assert answers[0] == answers[1]
    assert len(set(answers[0])) > 1000, "they differ from page to page"


def test_a_policy_that_only_ranks_says_the_same_and_remembers_nothing() -> None:
    log = LinkLog()
    log.append(0, np.array([1, 2, 3], np.int32))
    log.append(1, np.array([2], np.int32))
    crawled, waiting, passed_on = snapshot_of(log, 4), np.array([2, 3], np.int32), []
    for only_ranks in (False, True):
        policy = PageRankOrder(0)
        if only_ranks:
            policy.only_ranks()
        found = policy.begin_refresh(crawled, waiting, 1)().tolist()
        policy.fetched(2, np.array([4], np.int32))
        passed_on.append((found, policy.discovered(np.array([4], np.int32), np.array([2], np.int32)).tolist()))
    [(ranks, of_rank), (same_ranks, of_nothing)] = passed_on
    assert same_ranks == ranks
    assert (of_rank, of_nothing) == ([ranks[0] / 2], [1.0 / 2])
