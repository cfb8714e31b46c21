"""Policies that learn from what pages and links say of a topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from hinterland.analysis.graph import IntArray
from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.features.topics.links.link_features import LinkFeatures
from hinterland.crawler.features.topics.policies.reading_policy import Reading, ReadingPolicy, pages_between_refreshes
from hinterland.crawler.policies import GRAPH_POLICIES, TOPIC_POLICIES, make_policy
from tests.support.link_features import features_of

GOOD, BAD, COMMON = [1, 2], [3, 4], 9
"""Features of links that lead to relevant pages, of links that do not, and of both."""
PAGES_A_HOST = 50
NOTHING = LinkLog().snapshot(np.zeros(0, np.bool_), np.zeros(0, np.int32))


@dataclass(slots=True)
class Crawl:
    """A web without end: every page has four links to pages that were not known, one of them relevant. What the links
    say is right nine times in ten."""

    policy: ReadingPolicy
    order: list[int] = field(default_factory=list)
    urgency: dict[int, float] = field(default_factory=dict)
    known: int = 1

    def run(self, visits: int, refresh_every: int | None = 20) -> Crawl:
        if not self.order:
            self.urgency[0] = float(self.policy.discovered(np.zeros(1, np.int32), np.zeros(1, np.int32))[0])
        for _ in range(visits):
            self.visit(max(self.urgency, key=lambda each: (self.urgency[each], -each)))
            if refresh_every is not None and len(self.order) % refresh_every == 0:
                self.refresh()
        return self

    def visit(self, page: int) -> None:
        targets = list(range(self.known, self.known + 4))
        self.known += 4
        self.order.append(page)
        self.urgency.pop(page, None)
        self.policy.read(reading(page, targets))
        self.policy.fetched(page, np.array(targets, np.int32))
        found = self.policy.discovered(np.array(targets, np.int32), np.ones(len(targets), np.int32))
        self.urgency.update(zip(targets, found.tolist(), strict=True))

    def refresh(self) -> None:
        waiting = np.array(sorted(self.urgency), np.int32)
        found = self.policy.begin_refresh(NOTHING, waiting, 20)()
        self.urgency = dict(zip(waiting.tolist(), found.tolist(), strict=True))

    @property
    def harvest(self) -> float:
        return sum(map(is_relevant, self.order)) / len(self.order)


def is_relevant(page: int) -> bool:
    return page % 4 == 1


def reading(page: int, targets: Sequence[int]) -> Reading:
    said = [GOOD if is_relevant(target) ^ (target % 10 == 7) else BAD for target in targets]
    numbers = np.array(targets, np.int32)
    features = features_of([[*each, COMMON] for each in said])
    return Reading(page, page // PAGES_A_HOST, float(is_relevant(page)), numbers, numbers // PAGES_A_HOST, features)


def focused(seed: int = 0, name: str = "focused") -> ReadingPolicy:
    policy = make_policy(name, seed)
    assert isinstance(policy, ReadingPolicy)
    return policy


def test_it_learns_from_where_links_led_which_ones_to_follow() -> None:
    assert Crawl(focused()).run(300).harvest > 0.6  # at random: a quarter


def test_before_it_has_learnt_anything_it_goes_by_likeness_and_by_the_page_a_link_stands_on() -> None:
    policy = focused()
    policy.read(Reading(0, 0, 0.9, *_links([1, 2], likeness=0.0)))
    of_relevant = policy.discovered(np.array([1, 2], np.int32), np.ones(2, np.int32))
    policy.read(Reading(1, 0, 0.0, *_links([3], likeness=0.0)))
    policy.read(Reading(2, 0, 0.0, *_links([4], likeness=3.0)))
    of_other, alike = policy.discovered(np.array([3, 4], np.int32), np.ones(2, np.int32)).tolist()
    assert of_other < of_relevant[0] == of_relevant[1]
    assert alike > of_other


def test_of_two_links_to_one_page_the_better_counts() -> None:
    policy = focused()
    policy.read(Reading(0, 0, 0.5, *_links([1, 1, 2], likeness=[-3.0, 3.0, -3.0])))
    better, worse = policy.discovered(np.array([1, 2], np.int32), np.ones(2, np.int32)).tolist()
    assert better > worse


def test_what_is_drawn_at_random_comes_now_and_then_before_the_best() -> None:
    """So that what the learner has never thought of stays within reach."""
    policy = focused()
    targets = list(range(1, 1001))
    likeness = np.linspace(3.0, -3.0, 1000).tolist()
    policy.read(Reading(0, 0, 1.0, *_links(targets, likeness=likeness)))
    urgencies = policy.begin_refresh(NOTHING, np.array(targets, np.int32), 20)()
    first = np.argsort(-urgencies, kind="stable")[:200]
    assert 1 <= (first >= 500).sum() <= 10


@pytest.mark.parametrize("name", TOPIC_POLICIES)
def test_seeds_come_before_all_that_is_not_known_to_be_better(name: str) -> None:
    policy = focused(name=name)
    policy.read(reading(0, [1]))
    seed, found = policy.discovered(np.array([5, 2], np.int32), np.array([0, 1], np.int32)).tolist()
    assert seed >= found


REWARDED_BY_GUESSES = "tag-path-bandit"


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TOPIC_POLICIES if name != REWARDED_BY_GUESSES])
def test_a_crawl_that_was_interrupted_makes_the_same_next_choices(name: str) -> None:
    """Told of all visits again, and refreshed where it was refreshed last, it goes on as if nothing had happened."""
    undisturbed = Crawl(focused(5, name)).run(213)
    resumed = Crawl(focused(5, name))
    for visits, page in enumerate(undisturbed.order, 1):
        resumed.visit(page)
        if visits == 200:
            resumed.refresh()
    waiting = np.array(sorted(undisturbed.urgency), np.int32)
    remembered = resumed.policy.discovered(waiting, np.ones(len(waiting), np.int32)).tolist()
    resumed.urgency = dict(zip(waiting.tolist(), remembered, strict=True))
    assert undisturbed.run(100).order[213:] == resumed.run(100).order[213:]


@pytest.mark.parametrize("name", ["qmin", "qfirst", "parent-relevance"])
def test_a_page_inherits_what_the_pages_are_worth_that_link_to_it(name: str) -> None:
    policy = focused(name=name)
    for page, relevance in ((0, 0.5), (1, 0.9), (2, 0.2)):
        policy.read(Reading(page, 0, relevance, *_links([9], likeness=0.0)))
    expected = {"qmin": 0.2, "qfirst": 0.5, "parent-relevance": 0.9}[name]
    assert policy.discovered(np.array([9], np.int32), np.ones(1, np.int32)).tolist() == [expected]


@pytest.mark.parametrize("name", ["qmin", "parent-relevance"])
def test_also_a_link_that_is_not_read_again_hands_on_what_its_page_is_worth(name: str) -> None:
    """A policy that learns from links needs only a few to one page; the worst or the best of all may be any."""
    policy = focused(name=name)
    targets, hosts = np.array([9, -1], np.int32), np.array([0, -1], np.int32)
    for page, relevance in ((0, 0.5), (1, {"qmin": 0.1, "parent-relevance": 0.9}[name])):
        features = features_of([[1], [1]] if page == 0 else [[], []])
        policy.read(Reading.of_page(page, 0, relevance, targets, hosts, features))
    expected = {"qmin": 0.1, "parent-relevance": 0.9}[name]
    assert policy.discovered(np.array([9], np.int32), np.ones(1, np.int32)).tolist() == [expected]


def test_links_and_what_was_read_of_them_must_fit() -> None:
    with pytest.raises(ValueError, match="page 7 has 2 links, of which 1 were read"):
        Reading.of_page(7, 0, 0.5, np.zeros(2, np.int32), np.zeros(2, np.int32), features_of([[1]]))


@pytest.mark.slow
def test_forward_learning_is_rebuilt_every_five_hundred_pages() -> None:
    crawl = Crawl(focused(name="forward-learning")).run(480)
    before = crawl.harvest
    relevant = sum(map(is_relevant, crawl.run(600).order[520:])) / 560
    assert before < 0.5 < relevant


def test_the_younger_a_crawl_the_sooner_it_learns_again() -> None:
    assert [pages_between_refreshes(fetched, 1000) for fetched in (0, 500, 5000, 10**6)] == [20, 50, 500, 1000]
    assert pages_between_refreshes(0, 5) == 5


def test_only_policies_of_topics_read() -> None:
    assert all(isinstance(make_policy(name, 0), ReadingPolicy) for name in TOPIC_POLICIES)
    assert not any(isinstance(make_policy(name, 0), ReadingPolicy) for name in GRAPH_POLICIES)


def _links(targets: list[int], *, likeness: float | list[float]) -> tuple[IntArray, IntArray, LinkFeatures]:
    features = features_of([[COMMON] for _ in targets])
    features.likenesses[:] = np.broadcast_to(np.array(likeness, np.float32).reshape(-1, 1), features.likenesses.shape)
    return np.array(targets, np.int32), np.zeros(len(targets), np.int32), features
