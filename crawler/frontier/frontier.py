"""The waiting pages, when each host may be visited, and which visit is next. Pure: the time is an argument.

`frontier_state` holds the pages and hosts and answers questions about them; `host_places` keeps the state of each host
and finds the next host. Politeness to hosts and addresses costs O(log n) a visit, as in the workbench of BUbiNG (Boldi,
Marino, Santini & Vigna, ACM TWEB 2018). Invariants:

  - a page is handed out once, and again only after a call of `retry` or `abandoned`;
  - at most one visit to a host is under way, and no visit or extra request to it begins before its next_fetch;
  - an address has at most address_connections visits under way, and any two of them start at least
      address_delay_seconds apart.

Before its first page a host gets one task to find its address and one to fetch its robots.txt; both are repeated when
their results expire. These tasks are visits, too, and obey the same rests, except that a lookup sends nothing to the
host. If the robots.txt has moved to another host, fetching it becomes a task at that host, while the pages of the host
that it is for wait. A robots.txt is valid for at least one page, even if it expires while its host rests: otherwise a
host with a long rest and a short validity could never be visited.

`host_agenda` chooses among what waits at a host. `host_health` says whether a failure is the fault of the page or the
host, how long the host rests, and when it is given up. After some failures a host is asked for a page that it has
answered before; this visit is a PROBE. If all hosts fail together, the local network is at fault. Then the crawl calls
`pause`, which takes back the failures counted. Until it calls `go_on`, only hosts named by `probe` are visited, and no
failure counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf

from hinterland.crawler.frontier.closed_hosts import ClosedHosts
from hinterland.crawler.frontier.frontier_state import FrontierState
from hinterland.crawler.frontier.garbage import Garbage
from hinterland.crawler.frontier.host_agenda import HostAgenda
from hinterland.crawler.frontier.host_health import HostHealth
from hinterland.crawler.frontier.host_places import (
    BUSY,
    GONE,
    IDLE,
    READY,
    UNNAMED,
    UNNAMED_FIRST,
    HostPlaces,
)
from hinterland.crawler.frontier.hosts import HostState
from hinterland.crawler.frontier.retries import Retries
from hinterland.crawler.frontier.time_slots import TimeSlots
from hinterland.crawler.frontier.visits import (
    Exhausted,
    HostPoliteness,
    HostTask,
    HostTaskKind,
    RobotsKnown,
    RobotsMoved,
    RobotsState,
    RobotsUnreachable,
    Visit,
    Wait,
)
from hinterland.crawler.frontier.waiting_pages import (
    FloatArray,
    HostOrder,
    IntArray,
    Reordering,
    WaitingPages,
)
from hinterland.crawler.settings import PolitenessSettings

MAX_READY_SECONDS = 60.0
"""After this many seconds, a ready host is visited first, whatever the policy prefers, so that no host starves. If
there are many such hosts, they get every other visit."""

_UNTOUCHED = HostPoliteness()


class Frontier(FrontierState):
    """Decides which visit is next. All methods are synchronous; `now`, in epoch seconds, never decreases."""

    def __init__(
        self,
        settings: PolitenessSettings,
        *,
        random: Callable[[], float],
        max_pages_per_host: int | None = None,
        robots_retry_seconds: float = 60.0,
        time_slots: TimeSlots | None = None,
        max_ready_seconds: float = MAX_READY_SECONDS,
    ) -> None:
        """Begin without pages and hosts.

        `random` returns numbers in [0, 1). `time_slots` is given if other shards visit the same addresses.
        """
        pages = WaitingPages()
        retries, closed = Retries(pages), ClosedHosts(inf if max_pages_per_host is None else max_pages_per_host)
        self._agenda = HostAgenda(pages, retries, closed)
        places = HostPlaces(settings, time_slots, key_of=self._agenda.key, max_ready_seconds=max_ready_seconds)
        super().__init__(pages, retries, places, closed)
        self._health = HostHealth(
            settings, places, closed, retries, random=random, robots_retry_seconds=robots_retry_seconds
        )
        self._addresses = places.addresses
        self._probes: deque[int] = deque()

    # ---------------------------------------------------------------- hosts and pages added

    def add_host(self, politeness: HostPoliteness | None = None) -> int:
        """Add a host and return its number; numbers count up from 0."""
        known = politeness or _UNTOUCHED
        number = self._places.add(GONE if known.given_up else IDLE)
        self._closed.add(is_given_up=known.given_up, fetched=known.fetched)
        if known != _UNTOUCHED:
            host = self._host(number)
            host.next_fetch = known.next_fetch
            host.rest = known.rest
            host.failures = known.failures
            host.fetched = known.fetched
            host.was_heard = known.fetched > 0
        return number

    def restore_robots(self, host: int, until: float, crawl_delay: float | None) -> None:
        """Restore the stored state of a host's robots.txt; call this before adding pages of the host."""
        self._host(host).robots_until = until
        self._host(host).crawl_delay = crawl_delay

    def restore_good_pages(self, hosts: IntArray, pages: IntArray) -> None:
        """Restore for each of `hosts` a page, in `pages`, that it has answered and that can be used to probe it.

        Both arrays have shape (k,).
        """
        for host, page in zip(hosts.tolist(), pages.tolist(), strict=True):
            self._host(host).good_page = page

    def add(self, pages: IntArray, hosts: IntArray, urgencies: FloatArray, now: float) -> None:
        """Add pages that have not been in the frontier before; shape (k,) each."""
        self._pages.add(pages, hosts, urgencies)
        places = self._places.of
        for page, number, urgency in zip(pages.tolist(), hosts.tolist(), urgencies.tolist(), strict=True):
            host = self._host(number)
            self._closed.waits(host)
            if places[number] == IDLE:
                self._places.settle(host, now)
            elif places[number] >= READY:
                line = self._places.line_of(host)
                key = line.keys[number]
                if key is None:
                    line.push_bound((-urgency, page, number))
                elif (-urgency, page, number) < key:
                    self._places.update(host, now)

    # ---------------------------------------------------------------- the next visit

    def next_visit(self, now: float, *, lookups: bool = True) -> Visit | Wait | Exhausted:
        """Return the next visit.

        `lookups` says whether the visit may be the lookup of a name. If it may not, get the lookups from `next_lookup`;
        then Wait(now) means that lookups are all there is to do.
        """
        self._wake(now)
        host = self._places.next_ready(now, unnamed=lookups)
        return self._nothing_now(now) if host is None else self._start(host, now)

    def next_lookup(self, now: float) -> Visit | None:
        """Return the next lookup of a name, ahead of the visit to its host; None if no lookup is wanted now."""
        self._wake(now)
        host = self._places.next_unnamed(now)
        return None if host is None else self._start(host, now)

    def next_probe(self, now: float) -> Visit | None:
        """Return the next probe requested by `probe`; None if no such host may be visited now."""
        self._wake(now)
        for number in self._probes:
            host = self._host(number)
            if self._places.of[number] not in (BUSY, GONE) and host.next_fetch <= now and host.address.is_open(now):
                self._probes.remove(number)
                return self._start(host, now, HostTask(HostTaskKind.PROBE, number))
        return None

    def next_task(self, hosts: Iterable[int], now: float) -> Visit | Wait:
        """Return the next visit for a task at one of `hosts`, which all have tasks.

        The result is never a visit to a page, but it may be the lookup of the host's name.
        """
        self._wake(now)
        until = inf
        for number in hosts:
            host = self._host(number)
            if self._places.of[number] in (BUSY, GONE) or not host.tasks:
                continue
            is_held = host.robots_pending and host.tasks[0].needs_robots
            opens = max(host.next_fetch, host.address.next_fetch)
            if opens > now:
                until = min(until, opens)
            elif not is_held and host.address.is_open(now):
                return self._start(host, now)
        return Wait(until)

    def robots_state(self, number: int, now: float) -> RobotsState:
        """Return whether a host's robots.txt rules are known, and if not, whether the file may be requested now."""
        host = self._host(number)
        if host.robots_until > now or host.robots_unused:
            return RobotsState.KNOWN
        is_to_wait = host.failures > 0 and host.next_fetch > now and not host.robots_pending
        return RobotsState.UNREAD if is_to_wait or self._places.of[number] == GONE else RobotsState.UNKNOWN

    def acquire_slot(self, number: int, now: float, *, for_robots: bool = False) -> Visit | Wait | None:
        """Return permission for one request to a host outside its visits, or for a lookup that must come first.

        `slot_released` ends a permitted request. With `for_robots` the request is for the host's robots.txt, which must
        be read before its first page. A Wait says when to ask again; None means that the host is given up. To get
        permission before the host's pages do, call this after each call that changes the frontier and before
        `next_visit`.
        """
        self._wake(now)
        host = self._host(number)
        address = host.address
        if self._places.of[number] == GONE:
            return None
        is_kept = host.is_kept and host.extra_request is None
        if self._health.is_paused or (self._places.of[number] == BUSY and not is_kept):
            return Wait(inf)
        if not address.is_open(now) and address.is_full:
            return Wait(inf)
        if (opens := max(host.next_fetch, address.next_fetch)) > now:
            return Wait(opens)
        if not host.resolved and not is_kept:
            return self._start(host, now, HostTask(HostTaskKind.RESOLVE, number))
        if for_robots:
            is_on_its_way = host.robots_pending or is_kept
            return Wait(inf) if is_on_its_way else self._start(host, now, HostTask(HostTaskKind.ROBOTS, number))
        host.robots_unused = False
        extra_request = HostTask(HostTaskKind.EXTRA_REQUEST, number)
        if is_kept:
            self._addresses.connect(host, now)
            host.extra_request = Visit(number, -1, extra_request)
        else:
            host.extra_request = self._start(host, now, extra_request)
        return host.extra_request

    def upcoming(self, host: int, count: int) -> list[int]:
        """Return up to `count` of the host's next pages, so that their URLs can be read ahead."""
        return self._pages.upcoming(host, count)

    def sent(self, visit: Visit, now: float) -> None:
        """Note that the request of a visit is sent only now, because data had to be read from the store first."""
        self._addresses.sent(self._host(visit.host), now)

    # ---------------------------------------------------------------- outcomes

    def resolved(self, visit: Visit, address: str | None, now: float, *, until: float = inf) -> None:
        """End a RESOLVE task.

        `address` is None if a proxy connects to the host, so that its address is unknown here; then no address limit
        applies. `until` is when the name must be looked up again, in epoch seconds.
        """
        host = self._end(visit, now)
        self._places.note_resolved(host, until)
        host.address = self._addresses.named(address)
        self._places.settle(host, now)

    def addresses_asked(self) -> list[str]:
        """Return the IP addresses of which it is not known yet whether other shards use them; see `addresses_told`."""
        return self._addresses.asked()

    def addresses_told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        """Note which IP addresses only this shard uses (`alone`) and which are shared.

        Until this is known for an address, no host there is visited.
        """
        self._addresses.told(alone, shared)

    def robots_fetched(
        self, visit: Visit, result: RobotsKnown | RobotsMoved | RobotsUnreachable, now: float, seconds: float
    ) -> None:
        """End a ROBOTS task that took `seconds`."""
        assert visit.host_task is not None, "only a task fetches robots.txt"
        host, owner = self._end(visit, now), self._host(visit.host_task.owner)
        owner.robots_pending = False
        host.was_heard |= not isinstance(result, RobotsUnreachable) or result.was_heard
        if isinstance(result, RobotsUnreachable):
            host.resolved = False  # it may have moved
            self._health.robots_unreachable(owner, result.retry_after, now)
            if owner is host:
                return
            self._health.rest(host, self._health.asked_rest(result.retry_after), now)
        if isinstance(result, RobotsKnown):
            owner.robots_until = result.until
            owner.robots_unused = True
            owner.crawl_delay = result.crawl_delay
            if not self._retries.is_doubting(owner.number):  # otherwise its pages must show that it works
                owner.failures = 0
        self._health.rest_after(host, now, seconds)
        if isinstance(result, RobotsMoved):
            owner.robots_pending = True
            self._places.settle(host, now)
            moved = HostTask(HostTaskKind.ROBOTS, owner.number, result.url, visit.host_task.redirects + 1)
            self._send(moved, self._host(result.host), now)
        else:
            self._places.settle(host, now)
            self._places.update(owner, now)

    def finished(
        self, visit: Visit, now: float, seconds: float, *, is_good: bool = True, requests: int = 1
    ) -> list[int]:
        """End a visit to a page that the host answered after `seconds`; return the pages to blame for earlier failures.

        `is_good` says that the page can be used to probe the host later. `requests` is the number of requests in the
        visit; the host rests for each. The returned pages were doubted; the answer shows that their failures were not
        the host's fault. They no longer wait, so pass each to `retry`, or treat its failure as final.
        """
        host = self._end(visit, now)
        host.fetched += 1
        if self._closed.is_full(host):
            self._closed.close(host)
        if is_good and visit.page != host.good_page:
            host.good_page_before, host.good_page = host.good_page, visit.page
        return self._health.answered(host, now, seconds, requests)

    def kept(self, visit: Visit, now: float, seconds: float) -> None:
        """Note that the visit's request was answered after `seconds`, although the visit still occupies its host.

        Until the visit ends, `acquire_slot` may permit further requests to the host.
        """
        host = self._host(visit.host)
        host.is_kept = True
        self._addresses.disconnect(host, now)
        self._health.rest_after(host, now, seconds)

    def slot_released(self, visit: Visit, now: float, seconds: float, *, at_least: float = 0.0) -> None:
        """End a request that `acquire_slot` permitted and that took `seconds`.

        The host rests as after any answer, but at least `at_least` seconds.
        """
        host = self._host(visit.host)
        if host.extra_request is not visit:
            return  # the visit that occupied it was broken off
        host.extra_request = None
        if host.is_kept:
            self._addresses.disconnect(host, now)
        else:
            self._end(visit, now)
        self._health.rest_after(host, now, seconds, at_least=at_least)
        if not host.is_kept:
            self._places.settle(host, now)

    def proved(self, visit: Visit, now: float, seconds: float) -> list[int]:
        """End a PROBE that the host answered after `seconds`; return the pages to blame, as `finished` does."""
        return self._health.answered(self._end(visit, now), now, seconds)

    def failed(
        self, visit: Visit, now: float, retry_after: float | None = None, *, is_mild: bool = False, seconds: float = 0.0
    ) -> None:
        """End a visit that failed in a way that may be the host's fault; its page, if any, becomes doubted.

        The host backs off. It is given up after give_up_after_failures failures in a row, or after
        give_up_unheard_after_failures if it has never answered. `is_mild` means that the host answered with an error,
        after `seconds`. After a mild failure that is the first in a row, the host only rests as after an answer.
        """
        host = self._end(visit, now)
        if not is_mild:
            host.resolved = False  # it may have moved
        counts = not self._health.is_paused
        if visit.host_task is None:
            self._closed.waits(host)
            counts = self._health.page_failed(visit.page)
        elif visit.host_task.kind is HostTaskKind.PROBE and counts:
            host.was_dead = True
        if not counts:
            self._health.rest_after(host, now)
        elif not (is_mild and self._health.failed_mildly(host, now, seconds)):
            self._health.failed(host, retry_after, now)
        self._places.settle(host, now)

    def held(self, visit: Visit, now: float) -> None:
        """End a RESOLVE task, and give up its host now, because it must not be visited; its pages stay queued."""
        self._health.give_up(self._end(visit, now), now)

    def released(self, visit: Visit, now: float) -> None:
        """End a visit to a page for which no request was made."""
        self._places.settle(self._end_unasked(visit, now), now)

    def withdrawn(self, visit: Visit, now: float) -> None:
        """End a visit to a page for which no request was made; the page may be added again."""
        self._pages.forget(visit.page)
        self.released(visit, now)

    def postponed(self, visit: Visit, now: float) -> None:
        """End a visit to a page for which no request was made; queue the page behind all other pages of its host."""
        host = self._end_unasked(visit, now)
        self._closed.waits(host)
        self._pages.put_behind(visit.page)
        self._places.settle(host, now)

    def wait_behind(self, pages: Iterable[int], now: float) -> None:
        """Queue pages whose visits ended with `released`, behind all other pages of their hosts."""
        for page in pages:
            host = self._host(self._pages.host_of(page))
            self._closed.waits(host)
            self._pages.put_behind(page)
            self._places.update(host, now)

    def is_behind(self, page: int) -> bool:
        """Return whether the page is, or was until its last visit, queued behind all other pages of its host."""
        return self._pages.is_behind(page)

    def abandoned(self, visit: Visit, now: float) -> None:
        """End a visit that was broken off; queue its page or task again, and let the host rest as after an answer.

        A request of a feature is not queued again.
        """
        host = self._end(visit, now)
        self._health.rest_after(host, now)
        if visit.host_task is None:
            self._closed.waits(host)
            self._pages.put_back(visit.page)
        elif visit.host_task.url and visit.host_task.kind is HostTaskKind.ROBOTS:
            self._send(visit.host_task, host, now)
        self._places.settle(host, now)

    def is_under_way(self, visit: Visit) -> bool:
        """Return whether a visit is still under way."""
        return self._host(visit.host).visit is visit

    def broken_off(self, visit: Visit, now: float) -> None:
        """End a visit whose outcome is unknown; its page is not queued again.

        The host rests as after an answer.
        """
        host = self._end(visit, now)
        self._health.rest_after(host, now)
        self._places.settle(host, now)

    def add_retrying(self, page: int, host: int, urgency: float, at: float) -> None:
        """Restore a page that an earlier run left waiting for a retry, due at `at`, in epoch seconds."""
        self._pages.add_taken(page, host, urgency)
        self.retry(page, at)

    def retry(self, page: int, at: float) -> None:
        """Queue a visited page again with its old urgency; it is due at `at`, in epoch seconds."""
        host = self._host(self._pages.host_of(page))
        if page == host.good_page:  # its answer was of no use after all
            host.good_page, host.good_page_before = host.good_page_before, -1
        self._closed.waits(host)
        self._retries.add_later(page, at)

    def ask_again(self, page: int, host: int, now: float) -> None:
        """Queue a page again although a visit to it had a final outcome, in this run or an earlier run."""
        if self._pages.was_taken(page):
            self.retry(page, now)
        else:
            self.add_retrying(page, host, 0.0, now)

    def forgive(self, number: int, now: float) -> None:
        """Forget the failures of a host that was given up, so that it is visited again."""
        self._health.forgive(self._host(number), now)

    def ask_file(
        self, number: int, url: str, now: float, asker: str, *, needs_robots: bool = True, is_first: bool = False
    ) -> bool:
        """Schedule a feature's request to a host, ahead of the host's pages; return False if the host is given up.

        `asker` is the name of the feature, see Feature.tasks. With `needs_robots` the request waits until the host's
        robots.txt, and with it the Crawl-delay, is known. With `is_first` it comes before all other waiting requests.

        The visit ends with a call of `proved`, `failed` or `released`.
        """
        host = self._host(number)
        if self._places.of[number] == GONE:
            return False
        task = HostTask(HostTaskKind.FILE, number, url, asker=asker, needs_robots=needs_robots)
        self._agenda.add_task(task, host, is_first=is_first)
        self._places.update(host, now)
        return True

    # ---------------------------------------------------------------- our own network

    def pause(self, failures: Mapping[int, int], now: float) -> None:
        """Suspend all visits but probes, because no host can be reached.

        `failures` maps each host that has failed since the last answer from any host to its number of failures at that
        time. Each host gets its number back. Hosts given up since then are visited again.
        """
        self._health.pause(failures, now)

    def go_on(self) -> None:
        """Resume visits, because the network is back."""
        self._health.is_paused = False
        self._probes.clear()

    @property
    def is_paused(self) -> bool:
        """Whether only probes are visited."""
        return self._health.is_paused

    def probe(self, host: int) -> None:
        """Request a probe: a visit that only tests whether the host answers. A host that is given up is ignored.

        `next_probe` hands the probe out when the host's rest is over.
        """
        if host not in self._probes and self._places.of[host] != GONE:
            self._probes.append(host)

    @property
    def is_probing(self) -> bool:
        """Whether a requested probe has not been handed out yet."""
        return bool(self._probes)

    # ---------------------------------------------------------------- re-ordering

    @property
    def wants_compaction(self) -> bool:
        """Whether a re-ordering would save memory even if no urgency has changed."""
        return self._pages.wants_compaction and not self._pages.is_reordering

    def begin_reordering(self) -> Reordering:
        """Return a snapshot of all waiting pages; sort it in another thread, then pass the result to `install`."""
        return self._pages.begin_reordering()

    def install(self, order: HostOrder, now: float) -> Garbage:
        """Replace the order of waiting pages by a sorted order, in a few array operations; return the old objects.

        The caller frees the old objects in portions, and may let visits go on in between.
        """
        arrived, garbage = self._pages.install(order)
        self._places.install(order, arrived, garbage)
        self._retries.renew()
        for number in self._retries.hosts():  # the order does not have their pages
            self._places.ensure_key(self._host(number))
        return garbage

    # ---------------------------------------------------------------- time

    def _wake(self, now: float) -> None:
        """Make available what is due: pages to retry, hosts whose rest is over, and addresses whose pause is over."""
        while (at := self._retries.next_due_at) is not None and at <= now:
            self._make_retry_due(now)
        self._places.wake(now)

    def _nothing_now(self, now: float) -> Wait | Exhausted:
        while self._retries.next_due_at is not None and self._closed[self._pages.host_of(self._retries.next_later())]:
            self._make_retry_due(-inf)
        if not self._in_flight and (UNNAMED in self._places.of or UNNAMED_FIRST in self._places.of):
            return Wait(now)
        times = (self._places.next_end_of_rest(), self._addresses.next_opening(), self._retries.next_due_at)
        if known := [time for time in times if time is not None]:
            return Wait(min(known))
        return Wait(inf) if self._in_flight else Exhausted()

    def _make_retry_due(self, now: float) -> None:
        self._places.update(self._host(self._retries.make_due()), now)

    # ---------------------------------------------------------------- visits

    def _send(self, task: HostTask, host: HostState, now: float) -> None:
        owner = self._host(task.owner)
        if self._places.of[host.number] == GONE:
            self._health.robots_unreachable(owner, None, now)
            return
        owner.robots_pending = True
        self._agenda.add_task(task, host)
        self._places.update(host, now)

    def _start(self, host: HostState, now: float, probe: HostTask | None = None) -> Visit:
        self._places.occupy(host, is_probe=probe is not None)
        self._in_flight += 1
        task = probe or self._agenda.take_task(host, now)
        if task is not None and task.kind is HostTaskKind.RESOLVE:
            self._addresses.look_up(host, now)
        else:
            self._addresses.connect(host, now)
        if task is not None:
            host.robots_unused = host.robots_unused and not task.needs_robots
            host.visit = Visit(host.number, -1, task)
        else:
            host.robots_unused = False
            host.waiting -= 1
            host.visit = Visit(host.number, self._agenda.take_page(host))
        return host.visit

    def _end_unasked(self, visit: Visit, now: float) -> HostState:
        """End a visit for which no request was made."""
        self._addresses.take_back(self._host(visit.host))
        return self._end(visit, now)

    def _end(self, visit: Visit, now: float) -> HostState:
        host = self._host(visit.host)
        if self._places.of[host.number] != BUSY:
            raise ValueError(f"no visit to host {visit.host} is under way")
        self._in_flight -= 1
        if not host.is_kept or host.extra_request is not None:
            self._addresses.disconnect(host, now)
        host.is_kept, host.extra_request, host.visit = False, None, None
        self._places.move(host, IDLE)
        return host
