"""What one shard of a crawl sends to the others, and whether the crawl may end by itself. Pure.

Links make pages known here that belong to other shards; such pages wait in their own shard. The record that makes a
page known also hands it over, so the store has both or neither, and the page counts as unsent until the other shard has
it in its own store. Receiving a page twice does no harm.

The page that a seed redirects to extends the scope (see `Scope`), so it is sent to every shard.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.page_state import PageState
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import PagesFound
from hinterland.storage.values.records import DiscoveriesRecord
from hinterland.storage.values.shards import FoundPage, HandedOver

_KNOWN: Final = PageState.KNOWN.value


class UrlExchange(Feature):
    """The pages that one shard exchanges with the others. Mutable.

    `handed_over` and `received` count pages so far. `pending_end` is the reason why the crawl would end here, None
    while it has something to do. `is_closed` is true once nothing comes from other shards any more. `owns` is called
    before each visit; it does not return if the shard belongs to another process now.
    """

    def __init__(
        self,
        shards: Shards,
        number: int,
        known: KnownPages,
        *,
        has_depth_limit: bool,
        owns: Callable[[], object] = lambda: None,
    ) -> None:
        """Start with nothing to send. `number` is that of this shard; `known` holds the pages known here."""
        self.number = number
        self.handed_over = 0
        self.received = 0
        self.pending_end: EndReason | None = None
        self.is_closed = False
        self._shards = shards
        self._known = known
        self._has_depth_limit = has_depth_limit
        self._owns = owns
        self._owners = array("i")
        self._unsent: dict[int, dict[int, int]] = {}

    # ---------------------------------------------------------------- what goes to others

    def restore_elsewhere(self, handed_over: Sequence[int]) -> None:
        """Mark the pages that belong to other shards: those handed over, and the seeds of others.

        `handed_over` holds page numbers from the store; every shard is given all seeds.
        """
        self._learn_owners()
        owners = np.frombuffer(self._owners, np.int32)[self._known.hosts()]
        seeds = np.flatnonzero(self._known.local_mask() & (self._known.depths() == 0))
        pages = np.union1d(seeds, np.array(handed_over, np.int64))
        pages = pages[owners[pages] != self.number]
        self._known.restore_handed_over(pages.tolist())
        self._known.elsewhere = len(pages)

    def restore(self, unsent: Sequence[HandedOver]) -> None:
        """Restore the pages that are still to be sent, or are to be sent again, according to the store.

        The store may not know shorter paths yet that were found since, so a page that is unsent already keeps its
        depth.
        """
        for page, shard, depth, _ in unsent:
            self._unsent.setdefault(shard, {}).setdefault(page, depth)
        self.handed_over += len(unsent)

    def discovered(self, found: PagesFound) -> None:
        """Hand over the pages that belong to other shards or concern them."""
        discoveries, redirects_to, given = found.discoveries, found.redirects_to, found.given
        self._learn_owners()
        owners = self._owners
        if any(owners[host] != self.number for host in discoveries.admitted_hosts):
            self._divide(discoveries, redirects_to, given)
        for page, depth in self._moved_up(discoveries):
            if page in given or not self._known.is_local(page):
                continue
            owner = owners[self._known.host_of(page)]
            receivers = [owner] if depth else range(self._shards.count)
            for shard in receivers:
                if shard != self.number:
                    self._hand_over(discoveries, HandedOver(page, shard, depth, redirects_to(page)))

    def _learn_owners(self) -> None:
        """Find the shards of the hosts that are new."""
        for host in self._known.host_urls[len(self._owners) :]:
            self._owners.append(self._shards.owner(host))

    def _divide(self, discoveries: Discoveries, redirects_to: Callable[[int], int], given: Collection[int]) -> None:
        """Let only the pages wait here that belong here."""
        admitted = list(zip(discoveries.admitted, discoveries.admitted_hosts, discoveries.admitted_urls, strict=True))
        own = [each for each in admitted if self._owners[each[1]] == self.number]
        places = {page.number: place for place, page in enumerate(discoveries.new_pages)}
        away = set[int]()
        for page, host, _ in admitted:
            owner = self._owners[host]
            if owner == self.number:
                continue
            self._known.elsewhere += 1
            place = places.get(page)
            if place is None:
                away.add(page)
            else:
                discoveries.new_pages[place] = discoveries.new_pages[place]._replace(state=_KNOWN)
            if page not in given:
                depth = self._known.depth_of(page)
                self._hand_over(discoveries, HandedOver(page, owner, depth, redirects_to(page)))
        discoveries.localised += sorted(away)
        discoveries.readmitted[:] = [each for each in discoveries.readmitted if each[0] not in away]
        discoveries.admitted[:] = [page for page, _, _ in own]
        discoveries.admitted_hosts[:] = [host for _, host, _ in own]
        discoveries.admitted_urls[:] = [url for _, _, url in own]

    def _moved_up(self, discoveries: Discoveries) -> Iterator[tuple[int, int]]:
        """Yield the pages whose depth other shards have to know, each with its depth.

        These are pages of other shards that are nearer than was said, if the crawl has a depth limit, and all pages
        that seeds redirect to.
        """
        for page in discoveries.new_pages:
            if not page.depth:
                yield page.number, 0
        for number, depth in discoveries.nearer:
            is_away = self._owners[self._known.host_of(number)] != self.number
            if not depth or (is_away and self._has_depth_limit and self._known.is_admitted(number)):
                yield number, depth

    def _hand_over(self, discoveries: Discoveries, page: HandedOver) -> None:
        unsent = self._unsent.setdefault(page.shard, {})
        if unsent.get(page.page) != page.depth:
            unsent[page.page] = page.depth
            self.handed_over += 1
            discoveries.handed_over.append(page)

    @property
    def others(self) -> int:
        """How many other shards there are."""
        return self._shards.count - 1

    @property
    def unsent(self) -> Mapping[int, Mapping[int, int]]:
        """For each other shard, the pages that are to be sent to it, with their depths."""
        return self._unsent

    @property
    def unsent_count(self) -> int:
        """How many pages are to be sent, over all other shards."""
        return sum(map(len, self._unsent.values()))

    def acknowledged(self, shard: int, pages: Sequence[tuple[int, int]]) -> None:
        """Forget pages, given as (page, depth), that another shard has in its store now."""
        unsent = self._unsent[shard]
        for page, depth in pages:
            if unsent.get(page) == depth:
                del unsent[page]

    # ---------------------------------------------------------------- what comes from others

    def receive(self, found: Sequence[FoundPage], crawl_state: CrawlState) -> DiscoveriesRecord:
        """Add pages that other shards have found."""

        def find(discoveries: Discoveries) -> set[int]:
            pages = [self._known.add_handed_over(each.url, each.depth, each.redirects, discoveries) for each in found]
            admitted = set(discoveries.admitted)
            for page, each in zip(pages, found, strict=True):
                if each.redirects and page in admitted:
                    crawl_state.redirected_to(page, each.redirects)
            return set(pages)

        record = crawl_state.take_up(find)
        self.received += len(found)
        return record

    # ---------------------------------------------------------------- the end

    def chooses(self) -> None:
        """Note that there may be something to do again."""
        self._owns()
        self.pending_end = None

    def may_end(self, reason: EndReason) -> bool:
        """Return whether the crawl may end for a reason that pages from other shards would remove."""
        self.pending_end = reason
        return self.is_closed
