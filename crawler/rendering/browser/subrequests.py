"""Fetches what pages ask for while they are rendered: by the fetcher of the crawl, so addresses are guarded, bodies
bounded, patience ends and archives are written as for any page; and no URL that a robots.txt forbids."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

from crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from crawler.fetching.names.resolver import NamedAddress
from crawler.fetching.verdicts import REDIRECTS
from crawler.rendering.allowance import KEPT, MAX_REDIRECTS, STYLESHEET, Allowance
from crawler.rendering.kept_scripts import KeptScripts
from crawler.rendering.messages import Given, Wanted
from crawler.robots.answers import RobotsUnread, moved_to, read_robots
from crawler.robots.rules import DISALLOW_ALL, RobotsRules, parse_robots, robots_url
from crawler.urls.canonical import Canonicaliser
from crawler.urls.hosts import host_of, path_of

_MANY_HOSTS: Final = 10_000
_DAY: Final = 86_400.0


class Fetches(Protocol):
    async def resolve(self, host: str) -> NamedAddress | NoAnswer | None: ...
    async def fetch(self, url: str, limits: BodyLimits) -> Answer | NoAnswer: ...


GiveBack = Callable[[float, float], None]
"""After a request: how long it took, and how long its host wants to rest at least; seconds."""
Fetched = Callable[[], Awaitable[Answer | NoAnswer | str]]
"""Makes one request; or says why it is not made."""


class Lends(Protocol):
    """The crawl, which visits hosts itself."""

    async def borrow(self, url: str) -> GiveBack | None:
        """Permission for one request to the host of a URL, once nobody else asks it and it has rested; None if it is
        not to be asked."""
        ...


@dataclass(frozen=True, slots=True)
class Manners:
    """How hosts are treated. agent: the name by which robots.txt may speak of us. delay_seconds: a host that is not the
    page's own rests so long between two requests; max_crawl_delay_seconds: or as long as it asks for, so much at most.
    robots_bytes: of a robots.txt that are read; robots_seconds: how long one that could not be read forbids all."""

    agent: str
    delay_seconds: float
    max_crawl_delay_seconds: float
    robots_bytes: int
    robots_seconds: float


@dataclass(slots=True)
class _Host:
    """One that pages take something from. Mutable. lock: held while it is asked. next_fetch: when pages of other hosts
    may have it asked again; was_lent: whether that was the last to happen. unread: why nobody knows its rules."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    rules_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    next_fetch: float = 0.0
    was_lent: bool = False
    rules: RobotsRules | None = None
    rules_until: float = 0.0
    unread: str = ""


class Subrequests:
    """`answer` any number of them at a time. No host is asked for two things at once.

    The page's own host waits for the page, so the crawl does not visit it meanwhile: it is asked in a row, and rests
    for it afterwards. Other hosts are lent for every request, and rest after it; also those that wait for pages of
    their own, so that no two pages wait for each other. rules_of: those of the host of a page that was fetched; now:
    epoch seconds.
    """

    def __init__(
        self,
        fetcher: Fetches,
        rules_of: Callable[[str], RobotsRules],
        lends: Lends,
        manners: Manners,
        max_body_bytes: int,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher
        self._rules_of = rules_of
        self._lends = lends
        self._manners = manners
        self._max_body_bytes = max_body_bytes
        self._now = now
        self._sleep = sleep
        self._canonicaliser = Canonicaliser()
        self._kept = KeptScripts()
        self._hosts: dict[str, _Host] = {}

    async def answer(self, page: str, wanted: Wanted, allowance: Allowance) -> Given:
        """page: the URL of the page that wants it."""
        if wanted.kind == STYLESHEET:
            return Given(wanted.number, 200, content_type="text/css")
        reason = allowance.objection(wanted.kind, wanted.method)
        url = self._canonicaliser.canonical(wanted.url)
        if not reason and url is not None:
            answer = await self._answer(page, url, wanted.kind, allowance)
            if isinstance(answer, Answer):
                return Given(
                    wanted.number, answer.status, answer.body, answer.content_encoding, answer.content_type
                )
            reason = answer
        allowance.refuse(wanted.kind, reason or "not of the web")
        return Given(wanted.number)

    async def _answer(self, page: str, url: str, kind: str, allowance: Allowance) -> Answer | str:
        """What it is, or why it is refused."""
        if (kept := self._kept.get(url, self._now()) if kind in KEPT else None) is not None:
            return kept
        target = url
        for _ in range(MAX_REDIRECTS + 1):
            answer = await self._fetched(page, target, allowance)
            if not isinstance(answer, Answer) or answer.status not in REDIRECTS:
                break
            moved = self._canonicaliser.canonical(answer.location or "", target)
            if moved is None:
                return "with a bad redirect"
            target = moved
        else:
            return "with too many redirects"
        if isinstance(answer, Answer) and kind in KEPT and answer.status == 200:
            self._kept.keep(url, answer, self._now())
        return answer

    async def _fetched(self, page: str, url: str, allowance: Allowance) -> Answer | str:
        """One request, if it may be made."""
        name = host_of(url)
        host = self._host(name)
        is_own = name == host_of(page)
        rules = self._rules_of(name) if is_own else await self._rules(name, host)
        if not rules.allows(path_of(url)):
            return host.unread or "forbidden by robots.txt"

        async def fetched() -> Answer | NoAnswer | str:
            if allowance.exhaustion:  # by others that were asked for at the same time
                return allowance.exhaustion
            allowance.requests(url)
            limits = BodyLimits(None, min(self._max_body_bytes, allowance.bytes_left))
            answer = await self._fetcher.fetch(url, limits)
            allowance.received(url, len(answer.body) if isinstance(answer, Answer) else 0, answer.seconds)
            return answer

        asked = rules.granted_delay(self._manners.max_crawl_delay_seconds) or 0.0
        in_turn = partial(self._in_a_row, host, asked, fetched) if is_own else partial(self._lent, url, asked, fetched)
        answer = await _again_if_stale(in_turn)
        return answer if isinstance(answer, Answer | str) else f"{answer.kind}"

    async def _in_a_row(self, host: _Host, asked: float, fetched: Fetched) -> Answer | NoAnswer | str:
        """Ask the host of a page for what that needs."""
        async with host.lock:
            if host.was_lent:
                await self._rest(host)
            answer = await fetched()
            self._is_to_rest(host, asked)
            host.was_lent = False
        return answer

    async def _lent(self, url: str, asked: float, fetched: Fetched) -> Answer | NoAnswer | str:
        """Ask another host, in its turn. asked: how long it wants to rest, seconds."""
        give_back = await self._lends.borrow(url)
        if give_back is None:
            found = await self._fetcher.resolve(host_of(url))  # an address that is forbidden is told by its name
            return found if isinstance(found, NoAnswer) else "of a host that does not answer"
        host, seconds = self._host(host_of(url)), 0.0
        try:
            async with host.lock:
                await self._rest(host)
                answer = await fetched()
                seconds = 0.0 if isinstance(answer, str) else answer.seconds
                self._is_to_rest(host, asked)
                host.was_lent = True
        finally:
            give_back(seconds, asked)
        return answer

    # ---------------------------------------------------------------- hosts

    def _host(self, name: str) -> _Host:
        if name not in self._hosts and len(self._hosts) >= _MANY_HOSTS:
            oldest = next((each for each, host in self._hosts.items() if not host.lock.locked()), None)
            if oldest is not None:
                del self._hosts[oldest]
        return self._hosts.setdefault(name, _Host())

    async def _rest(self, host: _Host) -> None:
        while (seconds := host.next_fetch - self._now()) > 0:
            await self._sleep(seconds)

    def _is_to_rest(self, host: _Host, asked: float) -> None:
        host.next_fetch = self._now() + max(self._manners.delay_seconds, asked)

    async def _rules(self, name: str, host: _Host) -> RobotsRules:
        async with host.rules_lock:
            if host.rules is None or host.rules_until <= self._now():
                read = await self._read_rules(name)
                if isinstance(read, RobotsRules):
                    host.rules, seconds, host.unread = read, _DAY, ""
                else:
                    host.rules, seconds = DISALLOW_ALL, self._manners.robots_seconds
                    host.unread = f"of a host whose robots.txt cannot be read ({read})"
                host.rules_until = self._now() + seconds
            return host.rules

    async def _read_rules(self, name: str) -> RobotsRules | str:
        """Of a host whose pages the crawl does not visit, or has not asked; or why they cannot be known."""
        manners = self._manners
        url, redirects = robots_url(name), 0
        while True:
            limits = BodyLimits(None, manners.robots_bytes, cut=True)
            answer = await _again_if_stale(partial(self._lent, url, 0.0, partial(self._fetcher.fetch, url, limits)))
            if isinstance(answer, str):
                return answer
            target = moved_to(answer, url, self._canonicaliser, redirects=redirects, max_redirects=MAX_REDIRECTS)
            if target is None:
                break
            url, redirects = target, redirects + 1
        read = read_robots(answer, max_bytes=manners.robots_bytes, max_decoded_bytes=self._max_body_bytes)
        if isinstance(read, RobotsUnread):
            return str(read.kind)
        return parse_robots(read.text or b"", manners.agent, max_bytes=manners.robots_bytes, with_lines=False)


async def _again_if_stale(ask: Fetched) -> Answer | NoAnswer | str:
    """Ask once more, in turn again, if the connection that was kept for the request had just been closed."""
    answer = await ask()
    return await ask() if isinstance(answer, NoAnswer) and answer.is_stale else answer
