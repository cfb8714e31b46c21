"""The crawl itself: workers that carry out the frontier's visits, and the order in which things become true.

Two nested scopes, both opened in `Crawl.run`: the writer outlives the workers, so nothing fetched goes
unwritten. A worker takes a visit, fetches, tells the frontier (the host begins to rest), has the page
parsed, numbers what it found and hands one record to the writer, and is free again when that record is
committed. So the number of workers bounds what a kill -9 can make the crawl fetch twice.

Everything between two awaits is atomic. The numbering of new pages and the submission of the record that
introduces them happen in one such step, so the store sees pages in the order of their numbers.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from math import inf
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from crawler.engine.decisions.endings import EndReason
from crawler.engine.decisions.page_attempts import PageAttempts
from crawler.engine.decisions.statistics import CrawlStatistics, Tally
from crawler.engine.decisions.visit_records import LinkNumbering, NumberedLinks, Outlinks, kept_sitemaps, visit_record
from crawler.engine.record_writer import RecordWriter
from crawler.fetching.answers import Answer, NoAnswer, Wanted
from crawler.fetching.outcomes import UNREACHED, OutcomeKind, final_state, retry_rule
from crawler.fetching.retry_after import retry_after_seconds
from crawler.fetching.verdicts import REDIRECTS, Verdict, judge
from crawler.frontier.frontier import Frontier
from crawler.frontier.network_watch import NetworkState, NetworkWatch
from crawler.frontier.visits import ErrandKind, Exhausted, RobotsKnown, RobotsMoved, RobotsUnreachable, Visit, Wait
from crawler.frontier.waiting_pages import FloatArray, HostOrder, IntArray
from crawler.hinterland.statistics import Phase
from crawler.pages.depths import Ways, shortest
from crawler.pages.known_pages import Findings, KnownPages
from crawler.pages.page_urls import PageUrls
from crawler.parsing.messages import PageDigest, RawPage
from crawler.parsing.text_hashes import Interest
from crawler.policies import FrontierPolicy
from crawler.robots.answers import RobotsUnread, read_robots
from crawler.robots.book import RobotsBook
from crawler.robots.rules import RobotsRules, robots_url
from crawler.settings import Settings
from crawler.traps.slow_lane import SlowLane
from crawler.urls.canonical import Canonicaliser
from crawler.urls.hosts import host_of, path_of
from storage.records import HostStateRecord, LinkColumns, RobotsRecord, SettledRecord, SlowedShapes, VisitRecord

if TYPE_CHECKING:
    from analysis.link_log import LinkLog
    from crawler.engine.rounds import Rounds

_LOG = logging.getLogger(__name__)
T = TypeVar("T")

_READ_AHEAD = 32
_LARGE_BODY = 32_768  # bytes as sent; nineteen of twenty pages are smaller
_LINKS_AT_ONCE = 4000
_MOMENT = 0.001  # seconds in which visits go on between two pauses
FREED_AT_ONCE = 2000
"""Of the many small objects that a new order makes superfluous."""
_LOOK_AGAIN = 1.0  # seconds, while a host that is to be probed rests
_ASKED_ONLY = Wanted(frozenset(), 0)
"""For a request that is made to see whether the host answers."""
_GOOD = frozenset({OutcomeKind.FETCHED, OutcomeKind.OTHER_TYPE, OutcomeKind.REDIRECTED})


class Fetches(Protocol):
    @property
    def lookups(self) -> int: ...
    async def resolve(self, host: str, *, is_fresh: bool = False) -> str | NoAnswer | None: ...
    async def fetch(self, url: str, wanted: Wanted) -> Answer | NoAnswer: ...


class Parses(Protocol):
    restarts: int

    @property
    def backlog(self) -> int: ...
    @property
    def is_saturated(self) -> bool: ...
    async def parse(self, raw: RawPage) -> PageDigest: ...


class Crawl:
    """One run of the crawler over a prepared frontier. `now` is epoch seconds and never goes back."""

    def __init__(
        self,
        settings: Settings,
        *,
        frontier: Frontier,
        known: KnownPages,
        policy: FrontierPolicy,
        log: LinkLog | None,
        robots: RobotsBook,
        fetcher: Fetches,
        parsers: Parses,
        writer: RecordWriter,
        urls: PageUrls,
        canonicaliser: Canonicaliser,
        now: Callable[[], float],
        max_pages: int | None = None,
        fetched_before: int = 0,
        last_visit: int = 0,
        attempts: PageAttempts,
        network: NetworkWatch,
        redirects: dict[int, int] | None = None,
        rounds: Rounds | None = None,
        slow_lane: SlowLane | None = None,
        ways: Callable[[], Awaitable[Ways]] | None = None,
    ) -> None:
        """rounds: of the hinterland; None if nothing outside is to be fetched. slow_lane: for what looks like an
        endless space; None if nothing is to be slowed down. ways: reads all that are committed; None if depth makes no
        difference."""
        self._settings = settings
        self._frontier = frontier
        self._known = known
        self._policy = policy
        self._log = log
        self._robots = robots
        self._fetcher = fetcher
        self._parsers = parsers
        self._writer = writer
        self._urls = urls
        self._canonicaliser = canonicaliser
        self._now = now
        self._max_pages = inf if max_pages is None else max_pages
        self._fetched_before = fetched_before
        self._last_visit = last_visit
        self._attempts = attempts
        self._network = network
        self._numbering = LinkNumbering(known, settings, redirects)
        self._rounds = rounds
        self._slow_lane = slow_lane
        self._ways = ways
        self._depths_are_due = False
        self._addresses: dict[int, str] = {}
        self._tally = Tally()
        self._wanted_page = Wanted(frozenset(settings.fetching.content_types), settings.fetching.max_body_bytes)
        self._wanted_robots = Wanted(None, settings.robots.max_bytes, cut=True)
        self._started = now()
        self._idle: deque[asyncio.Future[Visit | None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._dispatching = False
        self._pages_under_way = 0
        self._reason: EndReason | None = None
        self._refresh_due = asyncio.Event()
        self._fetched_since_refresh = 0
        self._urls_before_refresh = 0

    # ---------------------------------------------------------------- the run

    async def run(self) -> EndReason:
        """Crawl until there is a reason to end. Raises what is not the web's doing: bugs, a failing disk."""
        workers = self._settings.fetching.max_in_flight
        async with asyncio.TaskGroup() as outer:
            writer = outer.create_task(self._writer.run())
            try:
                if self._rounds is not None:
                    self._rounds.admit_chosen()
                async with asyncio.TaskGroup() as inner:
                    refresher = inner.create_task(self._refresh_when_due())
                    tasks = [inner.create_task(self._work()) for _ in range(workers)]
                    await asyncio.wait(tasks)
                    refresher.cancel()
                if self._rounds is not None:
                    await self._rounds.last_estimate(self._last_visit)
            finally:
                if self._timer is not None:
                    self._timer.cancel()
                self._writer.close()
                await asyncio.wait([writer])
        return self._reason or EndReason.STOPPED

    def stop(self) -> None:
        """Begin no more visits; `run` returns when those under way are done and written."""
        self._end(EndReason.STOPPED)

    def statistics(self) -> CrawlStatistics:
        tally = self._tally
        return CrawlStatistics(
            seconds=self._now() - self._started,
            policy=self._settings.policy.name,
            pages_fetched=tally.outcomes[OutcomeKind.FETCHED],
            fetched_before=self._fetched_before,
            max_pages=None if self._max_pages == inf else int(self._max_pages),
            pages_known=len(self._known),
            pages_local=self._known.local_count,
            visits=tally.visits,
            outcomes={kind.value: count for kind, count in tally.outcomes.most_common()},
            retries=tally.retries,
            robots_fetched=tally.robots_fetched,
            host_failures={kind.value: count for kind, count in tally.host_failures.most_common()},
            wire_bytes=tally.wire_bytes,
            body_bytes=tally.body_bytes,
            links=tally.links,
            bad_links=tally.bad_links,
            cut=dict(tally.cut.most_common()),
            refreshes=tally.refreshes,
            refresh_seconds=tally.refresh_seconds,
            parser_restarts=self._parsers.restarts,
            parser_backlog=self._parsers.backlog,
            frontier=self._frontier.counts(),
            hinterland=None if self._rounds is None else self._rounds.statistics(),
            network_down_seconds=self._network.seconds_down(self._now()),
            probes=tally.probes,
            traps=None if self._slow_lane is None else self._slow_lane.statistics(),
        )

    def slowed(self) -> SlowedShapes:
        """The shapes of URLs that go behind all others."""
        return SlowedShapes(()) if self._slow_lane is None else self._slow_lane.record()

    def waiting(self) -> tuple[IntArray, FloatArray]:
        """The pages that wait and their urgencies, shape (k,) each: copies, for other threads."""
        return self._frontier.urgencies()

    # ---------------------------------------------------------------- who does what next

    async def _work(self) -> None:
        while (visit := await self._next_visit()) is not None:
            try:
                await self._carry_out(visit)
            finally:
                if visit.page >= 0:
                    self._pages_under_way -= 1
            if self._rounds is not None:
                self._rounds.host_visited(visit.host if visit.errand is None else visit.errand.owner)
                self._consider_round(is_idle=False)
            self._schedule_dispatch()

    async def _next_visit(self) -> Visit | None:
        turn: asyncio.Future[Visit | None] = asyncio.get_running_loop().create_future()
        self._idle.append(turn)
        self._schedule_dispatch()
        return await turn

    def _schedule_dispatch(self) -> None:
        """Something changed: see who can go on, once all that changed with it has been told."""
        if not self._dispatching:
            self._dispatching = True
            asyncio.get_running_loop().call_soon(self._dispatch)

    def _dispatch(self) -> None:
        self._dispatching = False
        while self._idle:
            turn = self._idle[0]
            if turn.done():  # its worker was cancelled
                self._idle.popleft()
                continue
            if self._reason is not None:
                self._idle.popleft().set_result(None)
                continue
            try:
                visit = self._visit_within_budget()
            except Exception as error:  # a bug; raised here, in a callback of the loop, nobody would see it
                self._idle.popleft().set_exception(error)
                return
            if visit is None:
                return
            if visit.page >= 0:
                self._pages_under_way += 1
            self._idle.popleft().set_result(visit)

    def _visit_within_budget(self) -> Visit | None:
        """The next visit, or None; then a timer is set or a visit under way will lead here again."""
        fetched = self._fetched_before + self._tally.outcomes[OutcomeKind.FETCHED]
        if fetched + self._pages_under_way >= self._max_pages:
            if fetched >= self._max_pages:
                self._end(EndReason.MAX_PAGES)
            return None
        if self._parsers.is_saturated or self._writer.is_full:
            return None  # more would only wait in memory
        now = self._now()
        if self._network.state is not NetworkState.UP:
            probe = self._next_probe(now)
            if probe is not None or self._frontier.is_paused:
                return probe
        match self._next_visit_with_a_place(now):
            case Visit() as visit:
                return visit
            case Wait(until):
                self._wake_at(until, now)
                if not self._pages_under_way:
                    self._consider_idling(until - now)
            case Exhausted() if self._network.state is NetworkState.DOUBTED and self._frontier.is_probing:
                self._wake_at(now + _LOOK_AGAIN, now)
            case Exhausted():
                # A page that is being parsed may still lead on, though no request is under way.
                if self._pages_under_way or self._consider_depths():
                    return None
                if self._slow_lane is not None and self._slow_lane.take_back(now):
                    self._schedule_dispatch()
                    return None
                if self._consider_round(is_idle=True):
                    return None
                self._end(self._reason_of_exhaustion())
        return None

    def _next_visit_with_a_place(self, now: float) -> Visit | Wait | Exhausted:
        """What the frontier says, but for visits to pages outside whose place in the budget another has taken."""
        while True:
            said = self._frontier.next_visit(now)
            if not isinstance(said, Visit) or said.page < 0 or self._rounds is None or self._rounds.begins(said.page):
                return said
            self._frontier.withdrawn(said, now)

    def _next_probe(self, now: float) -> Visit | None:
        """While the network is not trusted: a visit that only asks whether a host answers."""
        if self._network.is_given_up(now):
            self._end(EndReason.NETWORK_DOWN)
            return None
        due = self._network.probe_due(now)
        for host in self._network.hosts_to_ask() if due is None else [due]:
            self._frontier.probe(host)
        visit = self._frontier.next_probe(now)
        if visit is None and self._frontier.is_paused:
            self._wake_at(min(self._network.next_probe, now + _LOOK_AGAIN), now)
        return visit

    def _consider_idling(self, seconds: float) -> None:
        """Nothing may be visited for so long: is that worth waiting for?"""
        if self._consider_depths():
            return
        if self._rounds is not None:
            if self._rounds.has_only_pages_aside():
                self._end(self._reason_of_exhaustion())
                return
            if self._consider_round(is_idle=self._frontier.has_only_failing_hosts()):
                return
        if seconds > self._settings.politeness.max_retry_wait_seconds and self._frontier.has_only_retries():
            self._end(EndReason.RETRIES_LEFT)

    def _consider_depths(self) -> bool:
        """Look for pages that lie nearer than they seem, if there may be any; whether that is due or under way."""
        if self._ways is None or not self._known.has_stale_depths:
            return False
        self._depths_are_due = True
        self._refresh_due.set()
        return True

    def _consider_round(self, *, is_idle: bool) -> bool:
        """Begin a round of the hinterland if one is due; whether one is due or under way."""
        if self._rounds is None:
            return False
        if self._rounds.hinterland.is_in_round or self._rounds.wants_round(is_idle=is_idle):
            self._refresh_due.set()
            return True
        return False

    def _wake_at(self, until: float, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if until < inf:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(until - now, 0.0), self._schedule_dispatch)

    def _reason_of_exhaustion(self) -> EndReason:
        if not self._fetched_before and not self._tally.outcomes[OutcomeKind.FETCHED]:
            return EndReason.NOTHING_FETCHED
        if self._rounds is not None and self._rounds.hinterland.is_settled:
            return EndReason.SETTLED
        given_up = self._frontier.hosts_given_up()
        if self._rounds is not None:  # hosts outside come and go; the domain's own matter
            given_up = np.intersect1d(given_up, self._known.hosts()[self._known.local_mask()])
        if len(given_up):
            return EndReason.HOSTS_GIVEN_UP
        is_left = self._slow_lane is not None and self._slow_lane.left_waiting
        return EndReason.SPACES_LEFT if is_left else EndReason.EXHAUSTED

    def _end(self, reason: EndReason) -> None:
        if self._reason is None:
            self._reason = reason
            self._schedule_dispatch()

    # ---------------------------------------------------------------- visits

    async def _carry_out(self, visit: Visit) -> None:
        if visit.errand is None:
            await self._visit_page(visit)
        elif visit.errand.kind is ErrandKind.RESOLVE:
            await self._resolve(visit)
        elif visit.errand.kind is ErrandKind.PROBE:
            await self._probe(visit, visit.errand.page)
        else:
            await self._fetch_robots(visit)

    async def _resolve(self, visit: Visit) -> None:
        found = await self._guarded(visit, self._look_up(visit.host))
        now = self._now()
        if isinstance(found, NoAnswer):
            self._tally.host_failures[found.kind] += 1
            self._tell_network(visit.host, found, now)
            if found.kind is OutcomeKind.FORBIDDEN_ADDRESS and self._is_held(visit.host, found):
                self._frontier.held(visit, now)
            else:
                self._frontier.failed(visit, now)
            self._schedule_dispatch()
            await self._writer.submit(self._host_state(visit.host, f"{found.kind}: {found.detail}"))
            return
        if found is not None:
            self._addresses[visit.host] = found
        self._frontier.resolved(visit, found, now)

    async def _look_up(self, host: int, *, is_fresh: bool = False) -> str | NoAnswer | None:
        lookups = self._fetcher.lookups
        found = await self._fetcher.resolve(self._known.host_urls[host], is_fresh=is_fresh)
        if self._fetcher.lookups != lookups:
            self._network.looked_up()
        return found

    def _is_held(self, host: int, found: NoAnswer) -> bool:
        """Whether a host at a forbidden address is to be left alone at once. One that has answered before may soon have
        its own address again: a name server can be wrong for a while."""
        state = self._frontier.politeness_of(host)
        tried = state.failures + 1 >= self._settings.politeness.give_up_unheard_after_failures
        return found.is_final or not state.fetched or tried

    async def _url_of(self, visit: Visit, page: int) -> str:
        url = self._urls.take(page)
        if url is not None:
            return url
        if not self._urls.is_stored(page):
            await self._guarded(visit, self._writer.submit())  # once all before it is committed, it is
        ahead = self._frontier.upcoming(visit.host, _READ_AHEAD)
        return await self._guarded(visit, self._urls.read(page, ahead))

    async def _probe(self, visit: Visit, page: int) -> None:
        """See whether a host answers: for a page that it has answered before, or only for its robots.txt."""
        answer: Answer | NoAnswer | None = None
        if page >= 0:
            url = await self._url_of(visit, page)
        else:
            found = await self._guarded(visit, self._look_up(visit.host, is_fresh=True))
            answer = found if isinstance(found, NoAnswer) else None
            url = robots_url(self._known.host_urls[visit.host])
        if answer is None:
            answer = await self._guarded(visit, self._fetcher.fetch(url, _ASKED_ONLY))
        now, error = self._now(), None
        self._tally.probes += 1
        self._tell_network(visit.host, answer, now)
        verdict = judge(answer, url, self._canonicaliser)
        if retry_rule(verdict.kind).blames_host:
            self._frontier.failed(visit, now, _retry_after(answer, now))
            error = f"{verdict.kind}: {verdict.detail}"
        else:
            self._charge(self._frontier.proved(visit, now, answer.seconds))
        self._schedule_dispatch()
        await self._writer.submit(self._host_state(visit.host, error))

    async def _visit_page(self, visit: Visit) -> None:
        page = visit.page
        url = await self._url_of(visit, page)
        rules = await self._guarded(visit, self._rules(self._robots.text(visit.host)))
        started = self._now()
        if not rules.allows(path_of(url)):
            self._frontier.released(visit, started)
            self._schedule_dispatch()  # the host need not wait until that is written
            await self._finish(visit, url, started, Verdict(OutcomeKind.ROBOTS, rules.doubt(path_of(url))), None)
            return
        if self._slow_lane is not None and not self._slow_lane.begins(visit, url, started):
            self._urls.remember(page, url)
            self._schedule_dispatch()
            return
        answer = await self._guarded(visit, self._fetcher.fetch(url, self._wanted_page))
        verdict = judge(answer, url, self._canonicaliser)
        # A large page keeps its host busy until it is read: a flood of them has to wait at its own host, not here.
        is_large = isinstance(answer, Answer) and len(answer.body) > _LARGE_BODY
        if not is_large:
            self._tell_frontier(visit, verdict, answer)
            self._schedule_dispatch()
        digest, links = None, None
        if verdict.kind is OutcomeKind.FETCHED:
            assert isinstance(answer, Answer)
            reading = self._read(page, url, answer)
            digest, links = await (self._guarded(visit, reading) if is_large else reading)
            if digest.page is None:
                verdict = Verdict(OutcomeKind(digest.failure), digest.detail, verdict.status)
        if is_large:
            self._tell_frontier(visit, verdict, answer)
        self._schedule_dispatch()
        await self._finish(visit, url, started, verdict, answer, digest, links)

    async def _read(self, page: int, url: str, answer: Answer) -> tuple[PageDigest, NumberedLinks | None]:
        """Have a page parsed. The links of a page that has very many are numbered here, some thousands at a time: what
        they bring to light is written before the next ones have their turn, and the visits of others go on."""
        digest = await self._parsers.parse(
            RawPage(
                url,
                answer.body,
                answer.content_encoding,
                answer.content_type,
                answer.robots_tags,
                answer.link_fields,
                Interest.NOTHING if self._slow_lane is None else self._slow_lane.interest(page),
            )
        )
        self._schedule_dispatch()
        parsed = digest.page
        if parsed is None or len(parsed.link_urls) <= _LINKS_AT_ONCE:
            return digest, None
        links = NumberedLinks([])
        for start in range(0, len(parsed.link_urls), _LINKS_AT_ONCE):
            findings = Findings()
            part = slice(start, start + _LINKS_AT_ONCE)
            links.targets += self._numbering.part_of_page(page, parsed, part, findings)
            links.left_out += findings.urls_left_out
            self._take_up(page, findings, None)
            committed = self._writer.submit(findings.discovery())
            below = len(self._known)
            await committed
            self._urls.stored(below)
        return digest, links

    async def _guarded(self, visit: Visit, work: Awaitable[T]) -> T:
        """Await what may be cancelled while a visit is under way, and give the visit back if it is."""
        try:
            return await work
        except BaseException:
            self._frontier.abandoned(visit, self._now())
            raise

    def _tell_frontier(self, visit: Visit, verdict: Verdict, answer: Answer | NoAnswer) -> None:
        now, rule = self._now(), retry_rule(verdict.kind)
        self._tell_network(visit.host, answer, now)
        if rule.blames_host:
            asked = self._asked_of_host(visit, answer, now)
            self._frontier.failed(visit, now, asked, is_mild=rule.is_mild, seconds=answer.seconds)
        else:
            is_good = verdict.kind in _GOOD
            self._charge(self._frontier.finished(visit, now, answer.seconds, is_good=is_good))

    def _asked_of_host(self, visit: Visit, answer: Answer | NoAnswer, now: float) -> float | None:
        """The Retry-After that binds the host, and not only the page: one broken page must not silence its host. A long
        one is believed once two visits in a row have failed; that of a page that failed alone before binds it alone."""
        asked = _retry_after(answer, now)
        if asked is None or self._frontier.politeness_of(visit.host).failures:
            return asked
        if self._attempts.charges(visit.page):
            return None
        return min(asked, self._settings.politeness.page_retry_after_seconds)

    def _charge(self, pages: Sequence[int]) -> None:
        """These pages, and not their host, were to blame for their last failures."""
        now = self._now()
        for page in pages:
            at = self._attempts.charge(page, now)
            if at is not None:
                self._frontier.retry(page, at)
                continue
            kind = self._attempts.kind(page)
            self._done_with(page)
            self._tally.outcomes[kind] += 1
            self._tally.retries -= 1  # the last visit was not put off after all
            if self._rounds is not None:
                self._rounds.visited(page, kind, is_final=True, has_links=False)
            self._writer.submit(SettledRecord(page, final_state(kind).value))

    def _done_with(self, page: int) -> None:
        """The page will not be visited again."""
        self._attempts.ended(page)
        self._numbering.done_with(page)

    def _tell_network(self, host: int, answer: Answer | NoAnswer, now: float) -> None:
        """Is it the hosts that fail, or the network here?"""
        network = self._network
        if isinstance(answer, Answer) or answer.kind not in UNREACHED | {OutcomeKind.FORBIDDEN_ADDRESS}:
            seconds = network.seconds_down(now)
            if network.answered(host):
                _LOG.warning("the network is back after %.0f s; the crawl goes on", seconds)
            if network.state is NetworkState.UP and (self._frontier.is_paused or self._frontier.is_probing):
                self._frontier.go_on()
            return
        if answer.kind is OutcomeKind.FORBIDDEN_ADDRESS:
            return
        failures = self._frontier.politeness_of(host).failures
        is_lookup = answer.kind is OutcomeKind.DNS_FAILURE
        network.failed(host, failures, now, is_ours=answer.is_ours, is_lookup=is_lookup)
        if network.state is NetworkState.DOWN and not self._frontier.is_paused:
            self._frontier.pause(network.failures_before(), now)
            _LOG.warning(
                "no host can be reached any more (%s: %s), so the network here seems to be down: the crawl pauses, and"
                " goes on by itself; nothing is lost",
                answer.kind,
                answer.detail,
            )

    async def _finish(
        self,
        visit: Visit,
        url: str,
        started: float,
        verdict: Verdict,
        answer: Answer | NoAnswer | None,
        digest: PageDigest | None = None,
        links: NumberedLinks | None = None,
    ) -> None:
        """Make the outcome of a visit to a page true: in the frontier, the policy, the counts and the store."""
        record = self._record(visit, url, started, verdict, answer, digest, links)
        self._tally.cut.update(record.cut.keys())
        committed = self._writer.submit(record)
        below = len(self._known)
        await committed
        self._urls.stored(below)

    def _record(
        self,
        visit: Visit,
        url: str,
        started: float,
        verdict: Verdict,
        answer: Answer | NoAnswer | None,
        digest: PageDigest | None,
        links: NumberedLinks | None,
    ) -> VisitRecord:
        page = visit.page
        findings, outlinks = Findings(urls_left_out=0 if links is None else links.left_out), Outlinks()
        parsed = None if digest is None else digest.page
        if verdict.kind is OutcomeKind.REDIRECTED:
            verdict, outlinks = self._numbering.of_redirect(page, verdict, findings)
        elif parsed is not None:
            outlinks = self._numbering.of_page(page, url, parsed, findings, None if links is None else links.targets)
        self._take_up(page, findings, outlinks.columns)
        attempt = self._attempts.visited(page)
        retry_at = self._retry_at(page, verdict.kind, answer)
        if self._slow_lane is not None:
            told = None if digest is None or parsed is None else digest.said
            moved_to = None if outlinks.redirect_target is None else verdict.target
            is_final = retry_at is None
            self._slow_lane.visited(visit, url, said=told, moved_to=moved_to, findings=findings, is_final=is_final)
        if retry_at is None:
            self._done_with(page)
        else:
            self._urls.remember(page, url)  # it may not be in the store yet
        self._count(verdict.kind, retry_at, answer, digest)
        if self._rounds is not None:
            is_final, has_links = retry_at is None, outlinks.columns is not None
            self._rounds.visited(page, verdict.kind, is_final=is_final, has_links=has_links)
            self._rounds.admit_chosen()
            self._consider_round(is_idle=False)
        return visit_record(
            visit=self._last_visit,
            page=page,
            attempt=attempt,
            started_at=started,
            verdict=verdict,
            answer=answer,
            digest=digest,
            parsed=parsed,
            outlinks=outlinks,
            findings=findings,
            host_state=self._host_state(visit.host, _host_error(verdict)),
            retry_at=retry_at,
        )

    def _take_up(self, page: int, findings: Findings, columns: LinkColumns | None) -> None:
        """Tell frontier and policy what a visit brought to light."""
        for _ in findings.new_hosts:
            self._frontier.add_host()
        if columns is not None:
            self._tally.links += len(columns.targets)
            targets = dict.fromkeys(columns.targets)
            outlinks = np.fromiter(targets, np.int32, len(targets))
            self._policy.fetched(page, outlinks)
            if self._log is not None:
                self._log.append(page, outlinks)
        self.admit(findings)

    def admit(self, findings: Findings) -> None:
        """Let the pages that findings admit wait."""
        if self._rounds is not None:
            self._rounds.found(findings)
        if not findings.admitted:
            return
        pages = np.array(findings.admitted, np.int32)
        depths = np.array([self._known.depth_of(page) for page in findings.admitted], np.int32)
        urgencies = self._policy.discovered(pages, depths)
        if self._slow_lane is not None:
            urgencies = self._slow_lane.ordered(findings, urgencies)
        self._frontier.add(pages, np.array(findings.admitted_hosts, np.int32), urgencies, self._now())
        for number, url in zip(findings.admitted, findings.admitted_urls, strict=True):
            if url is not None:
                self._urls.remember(number, url)

    def _retry_at(self, page: int, kind: OutcomeKind, answer: Answer | NoAnswer | None) -> float | None:
        """When to try a page again; None if its outcome is final. If its host may be to blame, the frontier has it,
        and the time is what the store is told."""
        rule, now = retry_rule(kind), self._now()
        asked = 0.0 if answer is None else _retry_after(answer, now) or 0.0
        not_before = now + min(asked, self._settings.politeness.max_retry_after_seconds)
        self._attempts.failed(page, kind, not_before)
        if rule.blames_host:
            return max(now + rule.wait_seconds, not_before)
        at = self._attempts.charge(page, now)
        if at is not None:
            self._frontier.retry(page, at)
        return at

    def _count(
        self, kind: OutcomeKind, retry_at: float | None, answer: Answer | NoAnswer | None, digest: PageDigest | None
    ) -> None:
        tally = self._tally
        tally.visits += 1
        self._last_visit += 1
        if retry_at is None:
            tally.outcomes[kind] += 1
        else:
            tally.retries += 1
        if isinstance(answer, Answer):
            tally.wire_bytes += len(answer.body)
        if digest is not None:
            tally.body_bytes += digest.body_bytes
            tally.bad_links += digest.page.bad_links if digest.page is not None else 0
        if kind is OutcomeKind.FETCHED:
            self._fetched_since_refresh += 1
            if self._fetched_since_refresh >= self._settings.policy.refresh_pages or self._frontier.wants_folding:
                self._refresh_due.set()

    def _host_state(self, host: int, error: str | None) -> HostStateRecord:
        state = self._frontier.politeness_of(host)
        return HostStateRecord(
            number=host,
            address=self._addresses.get(host),
            next_fetch=state.next_fetch,
            rest_seconds=state.rest,
            failures=state.failures,
            pages_fetched=state.fetched,
            is_given_up=state.given_up,
            last_error=error,
        )

    # ---------------------------------------------------------------- robots.txt

    async def _fetch_robots(self, visit: Visit) -> None:
        errand = visit.errand
        assert errand is not None
        url = errand.url or robots_url(self._known.host_urls[errand.owner])
        answer = await self._guarded(visit, self._fetcher.fetch(url, self._wanted_robots))
        self._tally.robots_fetched += 1
        now = self._now()
        self._tell_network(visit.host, answer, now)
        if await self._follow_robots(visit, url, answer, now):
            return
        until = now + self._settings.robots.max_age_seconds
        read = read_robots(
            answer,
            max_bytes=self._settings.robots.max_bytes,
            max_decoded_bytes=self._settings.fetching.max_body_bytes,
        )
        if isinstance(read, RobotsUnread):
            was_heard = isinstance(answer, Answer)
            retry_after = _retry_after(answer, now)
            self._tally.host_failures[read.kind] += 1
            self._frontier.robots_fetched(visit, RobotsUnreachable(retry_after, was_heard), now, answer.seconds)
            self._schedule_dispatch()
            await self._writer.submit(
                self._host_state(errand.owner, f"robots.txt: {read.detail}"), self._host_state(visit.host, None)
            )
            return
        assert isinstance(answer, Answer)
        rules = await self._guarded(visit, self._rules(read.text))
        self._robots.remember(errand.owner, read.text)
        delay = rules.crawl_delay
        if delay is not None:
            delay = min(delay, self._settings.robots.max_crawl_delay_seconds)
        self._frontier.robots_fetched(visit, RobotsKnown(until, delay), now, answer.seconds)
        self._schedule_dispatch()
        await self._writer.submit(
            RobotsRecord(errand.owner, answer.status, now, until, read.text, delay, *kept_sitemaps(rules.sitemaps)),
            self._host_state(visit.host, None),
        )

    async def _rules(self, text: bytes | None) -> RobotsRules:
        if text is not None and self._robots.takes_long(text):
            self._robots.keep(text, await asyncio.to_thread(self._robots.parse, text))
        return self._robots.read(text)

    async def _follow_robots(self, visit: Visit, url: str, answer: Answer | NoAnswer, now: float) -> bool:
        """Send the errand on to where robots.txt has moved; False if it has not, or to nowhere."""
        if not isinstance(answer, Answer) or answer.status not in REDIRECTS or visit.errand is None:
            return False
        target = self._canonicaliser.canonical(answer.location or "", url)
        if target is None or visit.errand.redirects >= self._settings.robots.max_redirects:
            return False
        findings = Findings()
        host = self._known.host_number(host_of(target), findings)
        for _ in findings.new_hosts:
            self._frontier.add_host()
        self._frontier.robots_fetched(visit, RobotsMoved(host, target), now, answer.seconds)
        self._schedule_dispatch()
        await self._writer.submit(findings.discovery(), self._host_state(visit.host, None))
        return True

    # ---------------------------------------------------------------- refreshing the order

    async def _refresh_when_due(self) -> None:
        """Have the policy rank anew beside the crawl, and fold what was found since into the sorted order."""
        while True:
            try:
                async with asyncio.timeout(self._settings.policy.refresh_seconds):
                    await self._refresh_due.wait()
            except TimeoutError:
                pass
            self._refresh_due.clear()
            if self._depths_are_due and self._ways is not None:
                await self._bring_nearer(await self._ways())
                self._depths_are_due = False
                self._schedule_dispatch()
            elif self._rounds is not None and self._rounds.is_wanted:
                await self._rounds.run(self._last_visit)
                if self._rounds.hinterland.is_settled:
                    self._end(EndReason.SETTLED)
                self._schedule_dispatch()
            elif self._log is not None and self._ranks_what_waits and self._fetched_since_refresh:
                self._fetched_since_refresh = 0
                await self._refresh(self._log)
            elif self._frontier.wants_folding:
                await self._fold()

    async def _bring_nearer(self, ways: Ways) -> None:
        depths = await asyncio.to_thread(shortest, self._known.depths(), ways, self._known.max_depth)
        findings = Findings()
        self._known.bring_nearer(depths, ways.targets, findings)
        self.admit(findings)
        await self._writer.submit(findings.discovery())

    async def _refresh(self, log: LinkLog) -> None:
        started = self._now()
        snapshot = self._frontier.begin_reordering()
        crawled = log.snapshot(self._known.local_mask(), self._known.hosts())
        compute = self._policy.begin_refresh(crawled, snapshot.pages, self._settings.policy.refresh_pages)
        is_interleaved = self._rounds is not None and self._rounds.hinterland.is_interleaved
        is_due = self._known.outside_mask()[snapshot.pages] if is_interleaved else None

        def ranked() -> HostOrder:
            urgencies = compute()
            if is_due is not None:  # they keep to their share, see Rounds
                urgencies = np.where(is_due, inf, urgencies)
            return snapshot.sorted(urgencies)

        order = await asyncio.to_thread(ranked)
        self._tally.refreshes += 1
        self._tally.refresh_seconds += self._now() - started
        await self._install(order)

    @property
    def _ranks_what_waits(self) -> bool:
        """Whether the policy ranks what waits; in the hinterland that is a batch which a round has ranked."""
        in_hinterland = self._rounds is not None and self._rounds.hinterland.phase is Phase.HINTERLAND
        return self._policy.needs_refresh and not in_hinterland

    async def _fold(self) -> None:
        snapshot = self._frontier.begin_reordering()
        await self._install(await asyncio.to_thread(snapshot.sorted))

    async def _install(self, order: HostOrder) -> None:
        spent = self._frontier.install(order, self._now())
        self._schedule_dispatch()
        while spent.free(FREED_AT_ONCE):  # noqa: ASYNC110  visits go on between two parts
            await asyncio.sleep(_MOMENT)


def _retry_after(answer: Answer | NoAnswer, now: float) -> float | None:
    """The seconds that a host asks us to wait."""
    return retry_after_seconds(answer.retry_after, now) if isinstance(answer, Answer) else None


def _host_error(verdict: Verdict) -> str | None:
    """What to note of the host; None if the visit says nothing against it."""
    if not retry_rule(verdict.kind).blames_host:
        return None
    return f"{verdict.kind}: {verdict.detail or f'status {verdict.status}'}"
