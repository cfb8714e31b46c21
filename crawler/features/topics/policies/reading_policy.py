"""The interface of policies that learn from what pages and links say about a topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import numpy as np

from hinterland.analysis.graph import IntArray
from hinterland.crawler.features.topics.links.exploration_sample import Draw
from hinterland.crawler.features.topics.links.link_features import LinkFeatures
from hinterland.crawler.frontier.policies.policy import FrontierPolicy

_FEWEST: Final = 20
_SHARE: Final = 10


def pages_between_refreshes(fetched: int, most: int) -> int:
    """Return after how many more pages a reading policy should learn again; `most` is the number in the settings.

    A young crawl learns more often, since each page is a larger part of what it has seen.
    """
    return min(most, max(_FEWEST, fetched // _SHARE))


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What a visit to a page shows about the topic.

    `host` is the number of the page's host. `relevance` is P(topic | page), 0 if no page was read. `targets` and
    `target_hosts`, shape (k,), are the pages and hosts to which its links lead, in order. `features` holds the features
    of each link; a link that has been read often enough has no features any more.
    """

    page: int
    host: int
    relevance: float
    targets: IntArray
    target_hosts: IntArray
    features: LinkFeatures

    @classmethod
    def of_page(
        cls, page: int, host: int, relevance: float, targets: IntArray, hosts: IntArray, features: LinkFeatures
    ) -> Reading:
        """Return the reading of a page, given all its links; links whose target is not kept (-1) are left out.

        Raises ValueError if targets, hosts and features differ in number.
        """
        if not len(targets) == len(hosts) == len(features):
            raise ValueError(f"page {page} has {len(targets)} links, of which {len(features)} were read")
        is_kept = targets >= 0
        if is_kept.all():
            return cls(page, host, relevance, targets, hosts, features)
        return cls(page, host, relevance, targets[is_kept], hosts[is_kept], features.those(is_kept))

    @classmethod
    def of_no_page(cls, page: int, host: int, relevance: float = 0.0) -> Reading:
        """Return the reading of a visit that read no page, because of a failure, a redirect or another type."""
        none = np.zeros(0, np.int32)
        return cls(page, host, relevance, none, none, LinkFeatures.none())


@runtime_checkable
class ReadingPolicy(FrontierPolicy, Protocol):
    """A policy that also receives readings.

    Pages are judged, and features of links computed, only for such a policy. Features are hashed, so the policy sees
    neither URLs nor words. When a page has been read, the policy receives the features of its links, with the numbers
    of their targets. It receives them only once, so it must keep what it needs.

    After a restart, the policy receives all visits again, and is refreshed after the same visit as in the earlier run.
    Then `discovered` must return the former urgency of each waiting page.
    """

    def read(self, reading: Reading) -> None:
        """Learn from the final visit to a page; takes time in proportion to its links.

        It is called on the event loop, before `fetched` and `discovered` of the same visit.
        """
        ...


@runtime_checkable
class SamplingPolicy(ReadingPolicy, Protocol):
    """A reading policy that makes some visits at random, to measure its own accuracy."""

    def draws(self) -> list[Draw]:
        """Return the visited pages that have joined the sample since the last call."""
        ...
