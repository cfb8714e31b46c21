"""Policies that learn from what pages and links say about a topic, and what they are given."""

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
    """Return after how many more pages such a policy should learn again; `most` is what the settings ask for.

    The younger a crawl is, the sooner it has seen something new.
    """
    return min(most, max(_FEWEST, fetched // _SHARE))


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What a visit to a page says about the topic.

    `host` is the number of the page's host. `relevance` is P(topic | page), 0 for what is not a page. `targets` and
    `target_hosts`, shape (k,), are where its links lead, in order; `features` are those of each link, none for links
    that have been read often enough before.
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
        """Return the reading of a page from all its links; links whose target is not kept (-1) are left out.

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
        """Return the reading of what has no links: it failed, redirects, or is of another type."""
        none = np.zeros(0, np.int32)
        return cls(page, host, relevance, none, none, LinkFeatures.none())


@runtime_checkable
class ReadingPolicy(FrontierPolicy, Protocol):
    """A policy that also gets readings.

    Pages are judged, and links read for their features, for such a policy alone; nothing changes for others. This is
    the narrowest extension that was found. Features are hashed, so the policy still sees no URL and no word; they come
    link by link beside the page numbers that it knows already; and they come when they are at hand, when the page has
    been read. What it learns from them it keeps itself.

    After a restart it gets all visits again, and is refreshed where the crawl was last; then `discovered` is asked how
    urgent each waiting page was.
    """

    def read(self, reading: Reading) -> None:
        """Learn from the final visit to a page; takes time in proportion to its links.

        Called on the event loop, before `fetched` and `discovered` of the same visit.
        """
        ...


@runtime_checkable
class SamplingPolicy(ReadingPolicy, Protocol):
    """A reading policy that makes some visits at random, and is tested by them."""

    def draws(self) -> list[Draw]:
        """Return the draws that count since the last call."""
        ...
