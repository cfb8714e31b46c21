"""Keeps track of the pages that a shard exchanges with others, and whether the crawl may end. Pure.

Links also lead to pages of other shards. Such a page is known here but waits in its own shard. One record of the store
says both that the page is known and that it is handed over, so the store never has one without the other. The page
counts as unsent until it is in the other shard's store. Receiving a page twice does no harm.

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

    `handed_over` and `received` count pages so far. `pending_end` is the reason for which this shard's crawl would end,
    None while it is busy. `is_closed` is true once no more pages will come from other shards. `owns` is called before
    each visit; it does not return if another process has taken over the shard.
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
        """Start with nothing to send. `number` is the number of this shard; `known` holds the pages known here."""
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
        """Mark the pages that belong to other shards: pages that were handed over, and other shards' seeds.

        `handed_over` holds page numbers from the store. Other shards' seeds are known here because every shard is given
        all seeds.
        """
        self._learn_owners()
        owners = np.frombuffer(self._owners, np.int32)[self._known.hosts()]
        seeds = np.flatnonzero(self._known.local_mask() & (self._known.depths() == 0))
        pages = np.union1d(seeds, np.array(handed_over, np.int64))
        pages = pages[owners[pages] != self.number]
        self._known.restore_handed_over(pages.tolist())
        self._known.elsewhere = len(pages)

    def restore(self, unsent: Sequence[HandedOver]) -> None:
        """Restore the pages that, according to the store, must be sent or sent again.

        A page that is already known to be unsent keeps its depth, because the store may not know the shortest path yet.
        """
        for page, shard, depth, _ in unsent:
            self._unsent.setdefault(shard, {}).setdefault(page, depth)
        self.handed_over += len(unsent)

    def discovered(self, found: PagesFound) -> None:
        """Hand over new pages that belong to other shards, and pages whose depth other shards must know."""
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
        """Find the shards that new hosts belong to."""
        for host in self._known.host_urls[len(self._owners) :]:
            self._owners.append(self._shards.owner(host))

    def _divide(self, discoveries: Discoveries, redirects_to: Callable[[int], int], given: Collection[int]) -> None:
        """Remove pages of other shards from the discoveries that will wait here, and hand them over."""
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
        """Yield the pages whose new depth other shards must know, each with its depth.

        These are all pages that seeds redirect to and, if the crawl has a depth limit, pages of other shards to which a
        shorter path was found.
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
        """The number of other shards."""
        return self._shards.count - 1

    @property
    def unsent(self) -> Mapping[int, Mapping[int, int]]:
        """The pages that must be sent to each other shard: shard -> page number -> depth."""
        return self._unsent

    @property
    def unsent_count(self) -> int:
        """How many pages must be sent, to all other shards together."""
        return sum(map(len, self._unsent.values()))

    def acknowledged(self, shard: int, pages: Sequence[tuple[int, int]]) -> None:
        """Forget pages, given as (page, depth), that are in another shard's store now."""
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
        """Note that the crawl is about to choose a visit, and so has no reason to end."""
        self._owns()
        self.pending_end = None

    def may_end(self, reason: EndReason) -> bool:
        """Note that the crawl would end for `reason`; return whether it may.

        It may end once no more pages will come from other shards.
        """
        self.pending_end = reason
        return self.is_closed
