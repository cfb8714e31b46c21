"""Ranks the waiting pages of all shards together, by the links that all shards have found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hinterland.analysis import mmap_graph
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import IntArray
from hinterland.analysis.graph_delta import Cursor, NameArray, PackedDelta, Urgencies
from hinterland.analysis.joined_graph import JoinedGraph
from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.frontier.policies.passed_on import PassedOn
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.policies import make_policy


class Analyst:
    """The joined graph of the shards of one crawl, and the policy that ranks its pages. Mutable.

    A refresh calls `take`, `answer` and `urgencies`, one after the other. Each call computes for seconds, so it should
    be made in another thread.
    """

    def __init__(self, shards: int, policy: str, seed: int, folder: Path) -> None:
        """Start with an empty graph.

        `policy` names a policy that needs refreshes. `folder` is for unnamed files that hold large arrays.
        """
        self._folder = folder
        self._zeros = mmap_graph.large_in(folder)
        self._joined = JoinedGraph(shards, Shards(shards).owner, self._zeros)
        self._shards = shards
        self._policy: FrontierPolicy = make_policy(policy, seed)
        if isinstance(self._policy, PassedOn):
            self._policy.only_ranks()
        self._told = 0

    def cursors(self) -> list[Cursor]:
        """Return, for each shard, a cursor that says how much of its graph was taken."""
        return [self._joined.cursor(shard) for shard in range(self._shards)]

    def take(self, deltas: Sequence[PackedDelta]) -> list[NameArray]:
        """Add what each shard has learnt to the graph; return the names whose page numbers each shard must look up.

        A name is a hash of a page's URL; see UrlNames.
        """
        hosts_of = self._joined.hosts_of
        return self._joined.take([each.unpacked(hosts_of(shard), self._zeros) for shard, each in enumerate(deltas)])

    def answer(self, answers: Sequence[IntArray]) -> None:
        """Add the page numbers that each shard has looked up."""
        self._joined.answer(answers)

    def graph(self) -> CrawledGraph:
        """Return the graph as far as it is known now."""
        crawled = self._joined.graph()
        is_large = crawled.targets.nbytes >= mmap_graph.LARGE_BYTES
        return crawled.filed(self._folder) if is_large else crawled

    def urgencies(self, batch: int) -> list[Urgencies]:
        """Return the urgencies of the waiting pages of each shard, in the order in which the shard named the pages.

        `batch` is the approximate number of pages that will be fetched before the next refresh.
        """
        crawled = self.graph()
        if self._policy.uses_links:
            begin = int(crawled.ends[self._told - 1]) if self._told else 0
            new = crawled.order[self._told :], crawled.ends[self._told :] - begin, crawled.targets[begin:]
            self._policy.fetched_all(*new)
        self._told = len(crawled.order)
        of_each = [self._joined.waiting(shard) for shard in range(self._shards)]
        waits = np.zeros(crawled.page_count, np.bool_)
        for pages in of_each:
            waits[pages] = True
        waiting = np.flatnonzero(waits).astype(np.int32)
        urgencies = np.empty(crawled.page_count, np.float32)
        urgencies[waiting] = self._policy.begin_refresh(crawled, waiting, batch)()
        return [urgencies[pages] for pages in of_each]
