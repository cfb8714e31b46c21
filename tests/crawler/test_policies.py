"""The orders: one loop of invariants over all of them, and six pages by hand for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from analysis.crawled_graph import CrawledGraph
from analysis.link_log import LinkLog
from crawler.policies import POLICIES, FrontierPolicy, make_policy
from crawler.waiting_pages import WaitingPages

Links = dict[int, list[int]]

SIX_PAGES: Links = {0: [1, 2], 1: [3, 4], 2: [4, 1], 3: [], 4: [5, 2], 5: [0, 2]}
"""Page 0 is the seed; numbers are in the order of discovery by breadth-first search."""


@dataclass(slots=True)
class Crawl:
    """A crawl of one host that answers at once. It keeps what the policy was told and what it answered."""

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
def test_a_policy_told_of_all_links_again_after_a_restart_ranks_what_waits_as_before(name: str) -> None:
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
        for page, targets in links.items():
            resumed.fetched(page, np.array(targets, np.int32))
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


@pytest.mark.parametrize("name", [name for name in POLICIES if make_policy(name, 0).needs_refresh])
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


def test_bfs_goes_level_by_level_in_the_order_of_discovery() -> None:
    assert Crawl(make_policy("bfs", 0), SIX_PAGES).run().order == [0, 1, 2, 3, 4, 5]


def test_dfs_follows_what_was_found_last_and_the_first_link_of_it() -> None:
    assert Crawl(make_policy("dfs", 0), SIX_PAGES).run().order == [0, 1, 3, 4, 5, 2]


def test_indegree_fetches_first_what_most_fetched_pages_link_to() -> None:
    # after 0 and 1: {2: 1, 3: 1, 4: 1}, the oldest is 2; after 2: {3: 1, 4: 2}; after 4: {3: 1, 5: 1}
    assert Crawl(make_policy("indegree", 0), SIX_PAGES).run().order == [0, 1, 2, 4, 3, 5]


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
