"""What a policy is that learns from what pages and links say of a topic, and what it is told."""

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
    """After how many more pages such a policy should learn again: the younger a crawl is, the sooner it has seen
    something new. most: what the settings ask for.
    """
    return min(most, max(_FEWEST, fetched // _SHARE))


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What a visit to a page told of the topic. host: the number of the page's host. relevance: P(topic | page), 0 for
    what is not a page. targets, target_hosts: shape (k,), where its links lead, in their order; features: of each, none
    of those that have been read often enough before.
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
        """Of all links of a page that was read: those whose target is not kept (-1) are left out. Raises ValueError if
        there are not as many of one as of the other.
        """
        if not len(targets) == len(hosts) == len(features):
            raise ValueError(f"page {page} has {len(targets)} links, of which {len(features)} were read")
        is_kept = targets >= 0
        if is_kept.all():
            return cls(page, host, relevance, targets, hosts, features)
        return cls(page, host, relevance, targets[is_kept], hosts[is_kept], features.those(is_kept))

    @classmethod
    def of_no_page(cls, page: int, host: int, relevance: float = 0.0) -> Reading:
        """Of what has no links: it failed, led elsewhere, or is of another type."""
        none = np.zeros(0, np.int32)
        return cls(page, host, relevance, none, none, LinkFeatures.none())


@runtime_checkable
class ReadingPolicy(FrontierPolicy, Protocol):
    """A policy that is told more. Only for such a policy are pages judged, and links read for their features: to all
    others nothing changes.

    It is the narrowest widening that was found: features are hashed, so the policy still sees no URL and no word; they
    come link by link beside the page numbers that it knows already; and they come at the one moment when they are at
    hand, when the page has been read. What it learns of them it keeps itself.

    A restart tells it of all visits again, and has it refresh where the crawl did last; `discovered` is asked then, of
    any page that waits, how urgent it was.
    """

    def read(self, reading: Reading) -> None:
        """A page was visited for the last time. Comes before `fetched` and `discovered` of the same visit, on the event
        loop: it costs O(links given).
        """
        ...


@runtime_checkable
class DrawingPolicy(ReadingPolicy, Protocol):
    """A reading policy that leaves some visits to the lot, and is tested by them."""

    def draws(self) -> list[Draw]:
        """Those that count since it was asked last."""
        ...
