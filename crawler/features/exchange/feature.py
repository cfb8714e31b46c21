"""The feature of the crawl loop that makes a crawl one shard of several."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.share import share_of
from hinterland.crawler.features.exchange.shared_graph import SharedGraph
from hinterland.crawler.features.exchange.url_exchange import UrlExchange
from hinterland.crawler.features.exchange.url_forwarding import Membership, UrlForwarder
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.time_slots import TimeSlots
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.crawl_start import CrawlRequest, CrawlStart, FeatureFactory
from hinterland.crawler.loop.decisions.moments import UpkeepJob
from hinterland.crawler.loop.upkeep import Reorder
from hinterland.crawler.loop.workings import Workings
from hinterland.storage.link_store import LinkStore


class ShardExchange(UrlExchange):
    """Sends pages to the shards that they belong to, and receives pages that belong to this shard.

    If the pages of all shards are ranked together, it also takes over the resulting order of waiting pages.
    """

    def __init__(
        self,
        membership: Membership,
        store: LinkStore,
        known: KnownPages,
        *,
        has_depth_limit: bool,
        shared: SharedGraph | None,
    ) -> None:
        """Start with nothing to send. `shared` is None if this shard ranks its own pages."""
        mark = membership.mark
        super().__init__(Shards(mark.of), mark.number, known, has_depth_limit=has_depth_limit, owns=membership.owns)
        self._membership = membership
        self._store = store
        self._shared = shared
        self._jobs: Sequence[UpkeepJob] = ()

    def open(self, workings: Workings) -> None:
        """Prepare the job that takes over the common order, if there is one."""
        self._workings = workings
        if self._shared is not None:
            self._jobs = [TakeOverOrder(workings, self._shared)]

    def join(self, crawl: Crawl) -> None:
        """Connect the crawl to the other shards."""
        member, workings = self._membership, self._workings
        self._forwarder = UrlForwarder(
            self,
            member.peers,
            self._store,
            workings.crawl_state,
            workings.io,
            crawl,
            shared=self._shared,
            epoch=member.mark.epoch,
        )

    async def beside(self) -> None:
        """Exchange pages with the other shards until cancelled."""
        self._membership.opened(self._forwarder)
        await self._forwarder.run()

    def jobs(self) -> Sequence[UpkeepJob]:
        """Return the job that applies the order which is computed for all shards together, if there is one."""
        return self._jobs

    @property
    def replaces_policy(self) -> bool:
        """Whether the order of waiting pages is computed outside this crawl."""
        return self._shared is not None


class ShardExchangeFactory(FeatureFactory):
    """Adds the exchange with other shards to crawls that are a shard (see Membership)."""

    async def prepare(self, request: CrawlRequest, store: LinkStore) -> CrawlRequest:
        """Claim the store for this shard, and divide the limits in the settings among the shards."""
        if (shard := request.of(Membership)) is None:
            return request
        await store.own(shard.mark)
        return replace(request, settings=share_of(request.settings, shard.mark.of, shard.processes))

    def frontier_options(self, request: CrawlRequest) -> Mapping[str, Any]:
        """Return the frontier option with the shard's time slots, for IP addresses that several shards visit."""
        shard = request.of(Membership)
        if shard is None or shard.mark.of == 1:
            return {}
        return {"time_slots": TimeSlots(shard.mark.number, shard.mark.of)}

    async def make(self, start: CrawlStart) -> ShardExchange | None:
        """Return the feature, with the pages that other shards have or must still get, as stored.

        The shards share a graph if their pages are ranked together.
        """
        shard, core, shared = start.request.of(Membership), start.core, None
        if shard is None:
            return None
        if core.log is not None and core.known.has_names:
            mark = shard.mark
            shared = SharedGraph(Shards(mark.of), mark.number, core.known, core.log, core.frontier, core.policy)
        has_depth_limit = start.settings.scope.depth_limit is not None
        exchange = ShardExchange(shard, start.store, core.known, has_depth_limit=has_depth_limit, shared=shared)
        exchange.restore_elsewhere(await start.store.ask(lambda stored: stored.shards.handed_over()))
        exchange.restore(await start.store.ask(lambda stored: stored.shards.unsent()))
        return exchange


class TakeOverOrder(Reorder):
    """The job that sorts the waiting pages by urgencies computed elsewhere, from the links of all shards."""

    def __init__(self, workings: Workings, shared: SharedGraph) -> None:
        """Reorder the frontier of `workings` by the urgencies that `shared` has received."""
        super().__init__(workings.components, workings.io, workings.schedule)
        self._crawl_state = workings.crawl_state
        self._shared = shared

    @property
    def is_due(self) -> bool:
        """Whether to run, because urgencies have been received."""
        return self._shared.is_ranked

    @property
    def is_pressing(self) -> bool:
        """Whether to run without delay, because urgencies have been received."""
        return self._shared.is_ranked

    async def run(self) -> None:
        """Sort the waiting pages in another thread, and install the new order."""
        started = self._now()
        snapshot = self._frontier.begin_reordering()
        order = await asyncio.to_thread(snapshot.sorted, self._shared.take_over(snapshot))
        self._crawl_state.tally.refreshes += 1
        self._crawl_state.tally.refresh_seconds += self._now() - started
        await self.install(order)
