"""The pages outside among all others: told what happens to them, asked which of them may wait or be visited. Pure.

See crawler.features.outside.hinterland for what is decided there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.outside.hinterland import Hinterland, LeftWaiting
from hinterland.crawler.features.outside.statistics import HinterlandStatistics, Phase
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.policies import FrontierPolicy
from hinterland.storage.values.records import DiscoveriesRecord

BoolArray = NDArray[np.bool_]

_AT_ONCE = 250
"""So many pages are admitted before visits go on for a moment."""


class Outside(Protocol):
    """What a crawl tells and asks about the pages outside."""

    @property
    def is_settled(self) -> bool:
        """Whether the estimate has settled, so that nothing more is fetched outside."""
        ...

    @property
    def ranks_what_waits(self) -> bool:
        """Whether rounds, and not the policy, have ranked the pages that wait now."""
        ...

    @property
    def is_interleaved(self) -> bool:
        """Whether pages outside keep to their share of the visits now."""
        ...

    def found(self, discoveries: Discoveries) -> None:
        """A visit, or the seeds, brought something to light."""
        ...

    def begins(self, page: int) -> bool:
        """Whether the visit to a page may begin; if not, the page is to be withdrawn from the frontier."""
        ...

    def visited(self, page: int, kind: OutcomeKind, *, is_final: bool, has_links: bool) -> None:
        """A visit to a page ended."""
        ...

    def host_visited(self, host: int) -> None:
        """A visit to a host ended, or a task on its behalf."""
        ...

    def admit_chosen(self, now: float) -> DiscoveriesRecord | None:
        """Admit some of the pages chosen, as far as they may go now; None if there are none."""
        ...

    def wants_round(self, *, is_idle: bool, seconds: float) -> bool:
        """Whether a round is due or under way; see Hinterland.is_due for is_idle. seconds: until anything may be
        visited."""
        ...

    def has_only_pages_aside(self) -> bool:
        """Whether the budget is used up, and all that can still be visited are pages outside whose hosts fail."""
        ...

    def statistics(self) -> HinterlandStatistics | None: ...


class NoOutside:
    """Nothing outside is fetched."""

    is_settled = ranks_what_waits = is_interleaved = False

    def found(self, discoveries: Discoveries) -> None:
        pass

    def begins(self, page: int) -> bool:
        return True

    def visited(self, page: int, kind: OutcomeKind, *, is_final: bool, has_links: bool) -> None:
        pass

    def host_visited(self, host: int) -> None:
        pass

    def admit_chosen(self, now: float) -> DiscoveriesRecord | None:
        return None

    def wants_round(self, *, is_idle: bool, seconds: float) -> bool:
        return False

    def has_only_pages_aside(self) -> bool:
        return False

    def statistics(self) -> HinterlandStatistics | None:
        return None


class OutsidePages:
    """Mutable; implements Outside for a hinterland. is_wanted, is_idle: of the round that is due."""

    def __init__(
        self,
        hinterland: Hinterland,
        *,
        known: KnownPages,
        frontier: Frontier,
        policy: FrontierPolicy,
        estimator: str,
        left_waiting: Mapping[int, LeftWaiting],
    ) -> None:
        """left_waiting: pages outside that earlier runs admitted, the most urgent first."""
        self.hinterland = hinterland
        self._known = known
        self._frontier = frontier
        self._policy = policy
        self._estimator = estimator
        self._left_waiting = dict(left_waiting)
        self.urgencies = {page: each.urgency for page, each in left_waiting.items()}
        self._pages_at: dict[int, set[int]] = {}  # of each host, the pages admitted
        self._failing_hosts = set[int]()
        self._closings = -1
        self.is_wanted = self.is_idle = False
        hinterland.end_round(list(left_waiting))

    # ---------------------------------------------------------------- what happens

    def found(self, discoveries: Discoveries) -> None:
        """See Outside."""
        known, hinterland = self._known, self.hinterland
        for page in discoveries.localised:
            hinterland.became_local(page, was_fetched=known.was_fetched_outside(page))
            self._left(page)
        admitted = zip(discoveries.admitted, discoveries.admitted_hosts, strict=True)
        self._note_admitted([(page, host) for page, host in admitted if not known.is_local(page)])
        if not self._policy.needs_refresh and (pages := known.new_candidates(discoveries)):
            depths = np.array([known.depth_of(page) for page in pages], np.int32)
            hinterland.met(pages, self._policy.discovered(np.array(pages, np.int32), depths))

    def begins(self, page: int) -> bool:
        """See Outside."""
        if self._known.is_local(page) or self.hinterland.begins(page):
            return True
        self._left(page)
        self._known.withdraw(page)
        return False

    def visited(self, page: int, kind: OutcomeKind, *, is_final: bool, has_links: bool) -> None:
        """See Outside."""
        hinterland, is_fetched = self.hinterland, kind is OutcomeKind.FETCHED
        if has_links:
            hinterland.crawled()
        if not self._known.is_local(page):
            if not is_final:
                hinterland.put_off(page)
                return
            hinterland.ended(page, is_fetched=is_fetched)
            self._left(page)
            if is_fetched:
                self._known.note_fetched(page)
        elif is_fetched:
            hinterland.fetched_local()

    def host_visited(self, host: int) -> None:
        """See Outside."""
        if self._frontier.is_failing(host):
            self._failing_hosts.add(host)
            self.hinterland.put_aside(self._pages_at.get(host, ()))
        elif host in self._failing_hosts:
            self._failing_hosts.remove(host)
            self.hinterland.note_news()

    def _note_admitted(self, pages: Sequence[tuple[int, int]]) -> None:
        """These pages, each with its host, wait from now on."""
        self.hinterland.admitted(page for page, _ in pages)
        for page, host in pages:
            self._pages_at.setdefault(host, set()).add(page)
        self.hinterland.put_aside(page for page, host in pages if host in self._failing_hosts)

    def _left(self, page: int) -> None:
        """A page waits no more."""
        host = self._known.host_of(page)
        pages = self._pages_at.get(host, set())
        pages.discard(page)
        if not pages:
            self._pages_at.pop(host, None)

    # ---------------------------------------------------------------- rounds

    @property
    def is_settled(self) -> bool:
        return self.hinterland.is_settled

    @property
    def ranks_what_waits(self) -> bool:
        return self.hinterland.phase is Phase.HINTERLAND

    @property
    def is_interleaved(self) -> bool:
        return self.hinterland.is_interleaved

    def wants_round(self, *, is_idle: bool, seconds: float) -> bool:
        """See Outside."""
        if self.hinterland.is_in_round:
            return True
        self._look_for_closed_hosts()
        if self.hinterland.is_due(is_idle=is_idle):
            self.is_wanted, self.is_idle = True, is_idle
        return self.is_wanted

    def has_only_pages_aside(self) -> bool:
        """See Outside."""
        if self.is_wanted or not self.hinterland.has_only_pages_aside:
            return False
        counts, closed = self._frontier.counts(), self._frontier.closed_hosts()
        return counts.waiting - counts.stranded == sum(
            len(pages) for host, pages in self._pages_at.items() if not closed[host]
        )

    def statistics(self) -> HinterlandStatistics:
        return self.hinterland.statistics(self._estimator)

    def is_worth_a_try(self) -> BoolArray:
        """Of each host, whether its pages may be chosen: not if they cannot be visited any more, and not while it fails
        and pages that will tell when it does so no more wait there. Shape (hosts,)."""
        is_out = self._frontier.closed_hosts().copy()
        is_out[[host for host in self._failing_hosts if host in self._pages_at]] = True
        return ~is_out

    def end_round(self, chosen: Sequence[int], urgencies: Mapping[int, float]) -> None:
        """Take over the pages chosen, the most urgent first, and their urgencies."""
        self.urgencies = dict(urgencies)
        self.hinterland.end_round(chosen)

    def admit_chosen(self, now: float) -> DiscoveriesRecord | None:
        """See Outside."""
        pages = self.hinterland.take_chosen(_AT_ONCE)
        if not pages:
            return None
        discoveries = Discoveries()
        self._known.admit_outside(pages, discoveries)
        if discoveries.admitted:
            self._let_wait(discoveries.admitted, discoveries.admitted_hosts, now)
        return DiscoveriesRecord(admitted=discoveries.readmitted)

    def _let_wait(self, pages: Sequence[int], hosts: Sequence[int], now: float) -> None:
        is_urgent = self.hinterland.is_interleaved
        self._note_admitted(list(zip(pages, hosts, strict=True)))
        numbers, at = np.array(pages, np.int32), np.array(hosts, np.int32)
        # Among local pages those outside are few and due: else they would not keep to their share.
        urgencies = np.array([inf if is_urgent else self.urgencies.pop(page, 0.0) for page in pages])
        later = np.zeros(len(pages), np.bool_)
        for place, page in enumerate(pages):
            left = self._left_waiting.pop(page, None)
            if left is not None and left.retry_at is not None and left.retry_at > now:
                later[place] = True
                self._frontier.add_retrying(page, hosts[place], float(urgencies[place]), left.retry_at)
                self.hinterland.put_off(page)
        self._frontier.add(numbers[~later], at[~later], urgencies[~later], now)

    def _look_for_closed_hosts(self) -> None:
        if self._closings != self._frontier.closings:
            self._closings = self._frontier.closings
            closed = self._frontier.closed_hosts()
            for host, pages in self._pages_at.items():
                if closed[host]:
                    self.hinterland.put_aside(pages)
