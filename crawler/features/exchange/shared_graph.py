"""Reports a shard's links to the process that ranks the pages of all shards, and receives urgencies from it. Pure.

The urgencies of waiting pages are computed elsewhere (`cluster/analyst.py`), from the links of all shards. The shard's
own policy gives urgencies to pages before the first result, and to pages found after a report, as it does between two
refreshes of an ordinary crawl.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hinterland.analysis.graph import BoolArray
from hinterland.analysis.graph_delta import Cursor, GraphDelta, NameArray, Urgencies
from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.policies.passed_on import PassedOn
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.frontier.waiting_pages import FloatArray, IntArray, Reordering

_UNKNOWN = -1


class SharedGraph:
    """The links that this shard reports, and the urgencies that it receives.

    Mutable: it keeps the names that were asked about and are unknown here, the pages last reported as waiting, and
    their urgencies.
    """

    def __init__(
        self, shards: Shards, number: int, known: KnownPages, log: LinkLog, frontier: Frontier, policy: FrontierPolicy
    ) -> None:
        """Report on shard `number`; `log` holds the links of the pages that it has crawled."""
        self._shards = shards
        self._number = number
        self._known = known
        self._log = log
        self._frontier = frontier
        self._policy = policy
        self._is_own = np.empty(0, np.bool_)
        """Whether each host belongs to this shard."""
        self._asked = np.empty(0, np.uint64)
        """Names that were asked about but belong to no known page yet, ascending."""
        self._waiting = np.empty(0, np.int32)
        self._ranked: tuple[IntArray, FloatArray] | None = None

    def learnt(self, since: Cursor) -> GraphDelta:
        """Return what was learnt after `since`, as copies that other threads may use.

        An empty cursor means that the reader starts from the beginning. Then the names it asked about before are
        forgotten.
        """
        known = self._known
        if since == Cursor():
            self._asked = self._asked[:0]
        local, hosts = known.local_mask(), known.hosts()
        names = known.names_since(since.pages)
        own = self._own_hosts()[hosts[since.pages :]]
        asked = np.flatnonzero(own & np.isin(names, self._asked))
        asked = asked[np.unique(names[asked], return_index=True)[1]]  # two pages may have one name
        self._asked = np.setdiff1d(self._asked, names[asked], assume_unique=True)
        crawled = self._log.snapshot(local, hosts)
        begin = int(crawled.ends[since.crawled - 1]) if since.crawled else 0
        self._waiting, _ = self._frontier.urgencies()
        return GraphDelta(
            since=since,
            hosts=known.host_urls[since.hosts :],
            page_hosts=hosts,
            names=names[~own],
            asked=(since.pages + asked).astype(np.int32),
            asked_names=names[asked],
            is_local=local,
            order=crawled.order[since.crawled :],
            ends=crawled.ends[since.crawled :] - begin,
            targets=crawled.targets[begin:],
            waiting=self._waiting,
        )

    def begin_places(self, names: NameArray, below: int) -> Callable[[], IntArray]:
        """Return a function for another thread that finds page numbers by the pages' names (hashes of URLs).

        `names` are distinct, shape (k,). The function returns an array of shape (k,), with -1 for names that none of
        the first `below` pages has; `learnt` reports such pages once they are known. Only one such function may run at
        a time.
        """
        own = self._known.names_since(0)[:below]

        def found() -> IntArray:
            order = np.argsort(names)
            ascending, numbers = names[order], np.full(len(names), _UNKNOWN, np.int32)
            places = np.minimum(np.searchsorted(ascending, own), len(names) - 1)
            pages = np.flatnonzero(ascending[places] == own) if len(names) else places[:0]
            numbers[order[places[pages]]] = pages
            self._asked = np.union1d(self._asked, names[numbers < 0])
            return numbers

        return found

    def rank(self, urgencies: Urgencies) -> None:
        """Receive the urgencies of the pages last reported as waiting, shape (k,).

        Raises ValueError if there are more or fewer urgencies than pages.
        """
        if len(urgencies) != len(self._waiting):
            raise ValueError(f"{len(urgencies)} urgencies for {len(self._waiting)} pages")
        self._ranked = self._waiting, urgencies.astype(np.float64)

    @property
    def is_ranked(self) -> bool:
        """Whether urgencies have been received that are not in use yet."""
        return self._ranked is not None

    def take_over(self, snapshot: Reordering) -> FloatArray:
        """Return the urgencies of the pages that wait now, shape (k,).

        Pages found since the report keep the urgencies that the policy gave them.
        """
        assert self._ranked is not None
        (pages, urgencies), self._ranked = self._ranked, None
        if isinstance(self._policy, PassedOn):
            self._policy.remembering(pages, lambda: urgencies)()
        refreshed = snapshot.urgencies.copy()
        places = np.searchsorted(pages, snapshot.pages)
        places[places == len(pages)] = 0
        is_ranked = pages[places] == snapshot.pages if len(pages) else np.zeros(len(refreshed), np.bool_)
        refreshed[is_ranked] = urgencies[places[is_ranked]]
        return refreshed

    def _own_hosts(self) -> BoolArray:
        new = self._known.host_urls[len(self._is_own) :]
        own = [self._shards.owner(url) == self._number for url in new]
        self._is_own = np.concatenate([self._is_own, np.array(own, np.bool_)])
        return self._is_own
