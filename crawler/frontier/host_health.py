"""Whether hosts work: their rests after answers and failures, when they are given up, and whose fault failures are.

A failure may be the page's fault or the host's. Until that is known, the page is doubted (see `retries`). After two
failures in a row, or when the host has no other pages to visit, the host is asked for a page that it has answered
before. If it answers, the failures are the fault of the doubted pages. If it does not, they are the host's fault, and
in the end the host is given up. While our own network is at fault (`is_paused`), no failure counts; but each page is
excused only a few times. Two hosts with a page each that never answers look like an outage whenever both pages time
out. If such failures never counted, the crawl would never end. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import inf
from typing import Final

from hinterland.crawler.frontier.closed_hosts import ClosedHosts
from hinterland.crawler.frontier.host_places import BUSY, GONE, IDLE, HostPlaces
from hinterland.crawler.frontier.hosts import HostState
from hinterland.crawler.frontier.politeness import rest_after_answer, rest_after_failure
from hinterland.crawler.frontier.retries import Retries
from hinterland.crawler.frontier.visits import HostTaskKind
from hinterland.crawler.settings import PolitenessSettings

MOST_EXCUSED: Final = 3
"""How many failures of a page during outages do not count."""


class HostHealth:
    """Judges hosts by their answers and failures. Mutable; `now` is in epoch seconds."""

    def __init__(
        self,
        settings: PolitenessSettings,
        places: HostPlaces,
        closed: ClosedHosts,
        retries: Retries,
        *,
        random: Callable[[], float],
        robots_retry_seconds: float,
    ) -> None:
        """Begin; no host is known yet. `random` returns numbers in [0, 1).

        `robots_retry_seconds` is the first rest before an unreachable robots.txt is requested again.
        """
        self._settings = settings
        self._places = places
        self._closed = closed
        self._retries = retries
        self._random = random
        self._robots_retry_seconds = robots_retry_seconds
        self._excused = Counter[int]()
        """For each page, how many of its failures did not count."""
        self.is_paused = False
        """Whether our own network is at fault: failures do not count."""

    # ---------------------------------------------------------------- rests

    def rest(self, host: HostState, seconds: float, now: float) -> None:
        """Let a host rest for at least this long from now on."""
        host.rest = seconds
        host.next_fetch = max(host.next_fetch, now + seconds)

    def rest_after(
        self, host: HostState, now: float, seconds: float = 0.0, *, requests: int = 1, at_least: float = 0.0
    ) -> None:
        """Let a host rest as after `requests` answers that took `seconds` in all, but at least `at_least` seconds."""
        usual = rest_after_answer(self._settings, seconds, host.crawl_delay, requests)
        self.rest(host, max(usual, at_least), now)

    def asked_rest(self, retry_after: float | None) -> float:
        """Return the rest for a Retry-After, in seconds, up to the limit of the settings; 0 for None."""
        return min(retry_after or 0.0, self._settings.max_retry_after_seconds)

    # ---------------------------------------------------------------- answers and failures

    def answered(self, host: HostState, now: float, seconds: float, requests: int = 1) -> list[int]:
        """Note that the host works; return its doubted pages if their failures were the pages' own fault."""
        doubted: list[int] = []
        if self._retries.is_doubting(host.number):
            doubted = self._retries.clear_doubts(host.number)
            if host.was_dead or host.was_doubted:  # the failures were the host's
                for page in doubted:
                    self._retries.add_due(page)
                doubted = []
            self._closed.waits(host, -len(doubted))
        host.failures = 0
        host.was_heard, host.was_dead = True, False
        self.rest_after(host, now, seconds, requests=requests)
        self._places.settle(host, now)
        return doubted

    def failed_mildly(self, host: HostState, now: float, seconds: float) -> bool:
        """Note a failure that the host itself reported, after `seconds`, and return True if it is the first in a row.

        After a first failure, the host rests only as after an answer. A later failure is not noted; then return False.
        """
        if host.failures:
            return False
        host.failures = 1
        self.rest_after(host, now, seconds)
        self._give_up_if_due(host, now)
        return True

    def page_failed(self, page: int) -> bool:
        """Doubt a page whose visit failed, or queue it again if the failure does not count.

        Return whether the failure counts.
        """
        is_excused = self.is_paused and self._excused[page] < MOST_EXCUSED
        if is_excused:
            self._excused[page] += 1
            self._retries.add_due(page)
        else:
            self._retries.doubt(page)
        return not is_excused

    def failed(self, host: HostState, retry_after: float | None, now: float, at_least: float = 0.0) -> None:
        """Count a failure: the host backs off, and is given up after too many in a row."""
        host.failures += 1
        seconds = rest_after_failure(
            self._settings,
            host.failures,
            retry_after=retry_after,
            crawl_delay=host.crawl_delay,
            random=self._random,
        )
        self.rest(host, max(seconds, at_least), now)
        self._give_up_if_due(host, now)

    def robots_unreachable(self, owner: HostState, retry_after: float | None, now: float) -> None:
        """Disallow all of the owner's pages for now, and request its robots.txt again after a growing rest."""
        owner.robots_pending = False
        owner.robots_until = -inf
        if self._places.of[owner.number] != GONE:
            doubled = self._robots_retry_seconds * 2.0 ** min(owner.failures, 60)
            if self.is_paused:
                self.rest_after(owner, now)
            else:
                self.failed(owner, retry_after, now, min(doubled, self._settings.max_backoff_seconds))
            if self._places.of[owner.number] != BUSY:
                self._places.settle(owner, now)
                self._places.addresses.reopen(owner.address, now)  # it may have kept other hosts at the address waiting

    # ---------------------------------------------------------------- giving up, and taking it back

    def _give_up_if_due(self, host: HostState, now: float) -> None:
        limit = self._settings.give_up_after_failures
        if not host.was_heard:
            limit = min(limit, self._settings.give_up_unheard_after_failures)
        if host.failures >= limit and self._places.of[host.number] not in (GONE, BUSY):
            self.give_up(host, now)

    def give_up(self, host: HostState, now: float) -> None:
        """Stop visiting a host; its pages stay queued.

        The robots.txt of another host that has moved to this host is now unreachable.
        """
        self._places.move(host, GONE)
        self._closed.close(host)
        tasks, host.tasks = host.tasks or (), None
        for task in tasks:
            if task.kind is HostTaskKind.ROBOTS:
                self.robots_unreachable(self._places.host(task.owner), None, now)

    def forgive(self, host: HostState, now: float) -> None:
        """Forget the failures of a host that was given up, so that it is visited again."""
        if self._places.of[host.number] == GONE:
            host.failures = 0
            host.was_dead = False
            self._reopen(host)
            self._places.settle(host, now)

    def pause(self, failures: Mapping[int, int], now: float) -> None:
        """Count no failure until `is_paused` is set to False, because no host can be reached.

        `failures` maps each host that has failed since the last answer from any host to its number of failures at that
        time. Each host gets its number back, unless one of its doubted pages has been excused too often. Hosts given up
        since then are visited again.
        """
        self.is_paused = True
        for number, before in failures.items():
            host = self._places.host(number)
            counted = [self.page_failed(page) for page in self._retries.clear_doubts(number)]
            if not any(counted):
                self._take_back(host, before)
            if self._places.of[number] not in (BUSY, GONE):
                self._places.settle(host, now)

    def _take_back(self, host: HostState, before: int) -> None:
        """Reset the number of a host's failures to `before`, and visit the host again if it was given up."""
        if host.failures > before:
            host.failures = before
            usual = rest_after_answer(self._settings, 0.0, host.crawl_delay)
            ended = host.next_fetch - host.rest
            host.rest, host.next_fetch = usual, min(host.next_fetch, ended + usual)
        host.was_dead = False
        if self._places.of[host.number] == GONE:
            self._reopen(host)

    def _reopen(self, host: HostState) -> None:
        self._places.of[host.number] = IDLE
        self._closed.reopen(host)
