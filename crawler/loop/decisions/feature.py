"""An optional part of a crawl: what a feature may do at each moment. Pure.

What it does is part of the same step as what the loop does: between two awaits it is atomic, and the records it adds
are written in the same transaction as those beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.visits import HostTaskKind, Visit
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.moments import (
    Ended,
    HostTaskRunner,
    PagesFound,
    ReadPage,
    RevisitOfPage,
    UpkeepJob,
)
from hinterland.crawler.parsing.messages import RawPage
from hinterland.storage.values.extraction import ExtractionTable
from hinterland.storage.values.records import Record

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int32]
READ_AHEAD: Final = 32
"""Pages of a host that come soon and whose rows are read together."""


class Feature:
    """An optional part of a crawl. A subclass overrides the moments at which it does something; what is here does
    nothing. Where several features answer a question, one that says no (or yes, where the text says so) is enough.
    """

    asks_beside = False
    """Whether hosts are asked for something beside their visits, see HostSlots."""

    @property
    def tables(self) -> Sequence[ExtractionTable]:
        """Tables of records that the feature fills, by ExtractedRecord: made of `table_of_feature`."""
        return ()

    # ---------------------------------------------------------------- beginning and end of a run

    def begin(self, now: float) -> list[Record]:
        """Return records to write as the run begins."""
        return []

    async def finish(self) -> None:
        """Do what is left when no visit is under way any more; records may still be written."""

    async def beside(self) -> None:
        """Run beside the visits until cancelled."""

    def jobs(self) -> Sequence[UpkeepJob]:
        """Return what is to be done beside the visits, in the order of precedence."""
        return ()

    # ---------------------------------------------------------------- what becomes known

    def discovered(self, found: PagesFound) -> None:
        """Hosts and pages became known. The frontier and the policy hear of them after the features have."""

    def links_read(self, page: int, outlinks: IntArray) -> None:
        """A page was read. outlinks: the distinct pages that it links to, shape (k,)."""

    def robots_read(self, host: str, sitemaps: Sequence[str], now: float) -> None:
        """The robots.txt of a host was read. host: its URL; sitemaps: as it names them."""

    # ---------------------------------------------------------------- one visit

    @property
    def read_ahead(self) -> int:
        """How many pages of a host to read the rows of together."""
        return READ_AHEAD

    def admits(self, page: int) -> bool:
        """Whether a visit to a page may begin; if not, the page leaves the frontier."""
        return True

    async def revisit(self, visit: Visit) -> RevisitOfPage | None:
        """Return how to visit a page again that is stored; None if it is not."""
        return None

    def begins(self, visit: Visit, url: str, now: float) -> bool:
        """Whether the first visit to a page may go on; if not, the feature has ended it."""
        return True

    def to_parse(self, page: int, raw: RawPage) -> RawPage:
        """Return what a parser process is asked, with what the feature wants to know."""
        return raw

    async def judged(self, read: ReadPage) -> Verdict:
        """Return the verdict on a page that was just read, while its visit keeps its host."""
        return read.verdict

    async def asks_again(self, read: ReadPage) -> bool:
        """Whether the page is to be asked for again before its visit counts. One that says yes is enough."""
        return False

    def read(self, ended: Ended) -> None:
        """A visit has ended, and its links are numbered; neither the policy nor the frontier has heard of them."""

    def visited(self, ended: Ended) -> None:
        """A visit has ended; all that it brought to light is known."""

    def replaced(self, ended: Ended) -> None:
        """What was read at a revisit takes the place of what was stored of the page; `visited` was called before."""

    def settled(self, page: int, kind: OutcomeKind, now: float, *, is_revisit: bool) -> list[Record]:
        """A page that was to be tried again is not: its last failure was its own. Returns further records."""
        return []

    def host_visited(self, host: int) -> None:
        """A visit to a host has ended, or a task on its behalf."""

    @property
    def tasks(self) -> Mapping[HostTaskKind, HostTaskRunner]:
        """What carries out tasks of these kinds at hosts."""
        return {}

    # ---------------------------------------------------------------- who is next, and the end

    @property
    def visits_when_full(self) -> bool:
        """Whether visits go on once the store has as many pages as it may hold: those that add none."""
        return False

    def adds_no_page(self, page: int) -> bool:
        """Whether a visit to the page adds none to those stored."""
        return False

    def chooses(self) -> None:
        """The crawl is about to choose its next visit."""

    def send_due(self, now: float) -> float | None:
        """Let tasks wait at hosts that are due; returns when to look again, None if nothing will be due."""
        return None

    @property
    def is_busy(self) -> bool:
        """Whether something is under way that may lead to further visits."""
        return False

    def wants_upkeep(self, *, is_idle: bool, seconds: float) -> bool:
        """Whether one of the jobs is due or under way, and the crawl does not end before it is done. seconds: until
        anything may be visited; is_idle: nothing may be visited but pages of hosts that fail.
        """
        return False

    def is_not_worth_waiting(self) -> bool:
        """Whether nothing that still waits is worth waiting for. One that says yes is enough."""
        return False

    def brings_back(self, now: float) -> bool:
        """Let pages wait again that had been left, as nothing else waits; whether there are any."""
        return False

    def may_end(self, reason: EndReason) -> bool:
        """Whether the crawl may end for a reason that new pages would take away."""
        return True

    @property
    def end_reason(self) -> EndReason | None:
        """Why the crawl has ended, if nothing waits that can be visited and the feature is the reason."""
        return None

    # ---------------------------------------------------------------- the order of what waits

    @property
    def has_ranked(self) -> bool:
        """Whether the feature, and not the policy, has ranked what waits now."""
        return False

    @property
    def ranks_alone(self) -> bool:
        """Whether only the feature ever ranks what waits."""
        return False

    def keeps_ahead(self, pages: IntArray) -> BoolArray | None:
        """Which of the pages that wait stay before all others when the policy ranks them, shape (k,); None: none."""
        return None

    def refreshed(self, last_visit: int) -> list[Record]:
        """The policy begins to rank what waits. Returns records to write."""
        return []

    def pages_between_refreshes(self, fetched: int, pages: int) -> int:
        """How many pages to fetch from one refresh to the next. pages: what the settings ask for."""
        return pages

    # ---------------------------------------------------------------- for those who look

    def statistics(self, now: float, waiting: int) -> Mapping[str, Any]:
        """Return what the feature counts, by the names of the statistics. waiting: pages in the frontier."""
        return {}

    def progress(self) -> Record | None:
        """Return a record for those who look at the store while the crawl runs; it is written when it has changed."""
        return None
