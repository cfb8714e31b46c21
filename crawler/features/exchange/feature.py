"""The feature of the crawl loop that makes a crawl one shard of several."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.shared_graph import SharedGraph
from hinterland.crawler.features.exchange.url_exchange import UrlExchange
from hinterland.crawler.features.exchange.url_forwarding import Membership
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.loop.decisions.moments import UpkeepJob
from hinterland.crawler.loop.upkeep import Reorder
from hinterland.crawler.loop.workings import Workings
from hinterland.storage.link_store import LinkStore


class ShardExchange(UrlExchange):
    """Hands pages to the shards they belong to.

    If the pages of all shards are ranked together, it also takes over the resulting order of waiting pages.
    """

    def __init__(
        self,
        shards: Shards,
        number: int,
        known: KnownPages,
        *,
        has_depth_limit: bool,
        owns: Callable[[], object],
        shared: SharedGraph | None,
    ) -> None:
        """Start with nothing to send. `shared` is None if this shard ranks its own pages."""
        super().__init__(shards, number, known, has_depth_limit=has_depth_limit, owns=owns)
        self.shared = shared
        self._jobs: Sequence[UpkeepJob] = ()

    def open(self, workings: Workings) -> None:
        """Prepare the job that takes over the common order, if there is one."""
        if self.shared is not None:
            self._jobs = [TakeOverOrder(workings, self.shared)]

    def jobs(self) -> Sequence[UpkeepJob]:
        """Return the job that takes over the common order, if there is one."""
        return self._jobs

    @property
    def ranks_alone(self) -> bool:
        """Whether the order of waiting pages is computed outside this crawl."""
        return self.shared is not None


async def exchange_of(
    membership: Membership, known: KnownPages, store: LinkStore, shared: SharedGraph | None, *, has_depth_limit: bool
) -> ShardExchange:
    """Return the exchange of a shard, restored from its store."""
    mark = membership.mark
    exchange = ShardExchange(
        Shards(mark.of), mark.number, known, has_depth_limit=has_depth_limit, owns=membership.owns, shared=shared
    )
    exchange.restore_elsewhere(await store.ask(lambda stored: stored.shards.handed_over()))
    exchange.restore(await store.ask(lambda stored: stored.shards.unsent()))
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
        """Whether urgencies have been received."""
        return self._shared.is_ranked

    @property
    def is_pressing(self) -> bool:
        """Whether urgencies have been received."""
        return self._shared.is_ranked

    async def run(self) -> None:
        """Sort the waiting pages in another thread, and install the new order."""
        started = self._now()
        snapshot = self._frontier.begin_reordering()
        order = await asyncio.to_thread(snapshot.sorted, self._shared.take_over(snapshot))
        self._crawl_state.tally.refreshes += 1
        self._crawl_state.tally.refresh_seconds += self._now() - started
        await self.install(order)
