"""Fetches the resources that pages request while they are rendered.

The crawl's own fetcher makes the requests. So addresses are checked, sizes and times are limited, and archives are
written, in the same way as for pages. URLs that a robots.txt disallows are not fetched.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

from hinterland.crawler.features.rendering.allowance import KEPT, MAX_REDIRECTS, STYLESHEET, Allowance
from hinterland.crawler.features.rendering.kept_scripts import KeptScripts
from hinterland.crawler.features.rendering.messages import SubresourceRequest, SubresourceResponse
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.names.resolver import NamedAddress
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.fetching.verdicts import REDIRECTS
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import host_of, path_of

_MANY_HOSTS: Final = 10_000
_RESTS_OF_A_PAGE: Final = 20
_LONGEST_RESTS: Final = 300.0
"""The longest total rest of a page's own host while the page is rendered, in seconds. If the host asks for more, the
page is read in its state at that time. Later pages then find some of their scripts in the cache.
"""


class SubresourceFetcher(Protocol):
    """Fetches URLs for rendered pages. The crawl's own fetcher implements it."""

    async def resolve(self, host: str) -> NamedAddress | NoAnswer | None:
        """Return the address of a host or why the lookup failed; None if no lookup is needed."""
        ...

    async def fetch(self, url: str, limits: BodyLimits, *, by: str) -> Answer | NoAnswer:
        """Return the response to one request of the page at the URL `by`, or why there is none."""
        ...


GiveBack = Callable[[float, float], None]
"""Returns a host after a request, given the request's duration and the shortest rest that the host asks for, in
seconds.
"""
Fetched = Callable[[], Awaitable[Answer | NoAnswer | str]]
"""Makes one request; returns a text instead if the request is not allowed."""


class HostLender(Protocol):
    """Lends hosts for requests; implemented by the crawl, which visits the same hosts."""

    async def rules(self, url: str, *, is_own: bool) -> RobotsRules | None:
        """Return the robots.txt rules of a URL's host, fetching them if needed; None if they cannot be read.

        `is_own` says that this is the host of the page being rendered.
        """
        ...

    async def borrow(self, url: str) -> GiveBack | None:
        """Wait until the host of a URL is free and has rested; return the function to call after one request to it.

        Calling the function gives the host back to the crawl. Returns None if the host must not get any request.
        """
        ...


@dataclass(frozen=True, slots=True)
class Manners:
    """How long hosts rest between two requests.

    Hosts other than the page's own rest for `delay_seconds`, or for the time that they ask for if it is longer, up to
    `max_crawl_delay_seconds`.
    """

    delay_seconds: float
    max_crawl_delay_seconds: float


@dataclass(slots=True)
class _Host:
    """A host from which pages fetch resources. Mutable.

    `lock` is held during a request. `next_fetch` is when pages of other hosts may request something from the host
    again; `was_lent` says whether its last request was made for a page of another host.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    next_fetch: float = 0.0
    was_lent: bool = False


class Subrequests:
    """Answers requests of rendered pages; any number of calls of `answer` may run at the same time.

    No host gets two requests at the same time. The page's own host is reserved for the page, so the crawl does not
    visit it meanwhile. The host gets the page's requests one after another, and rests for all of them afterwards. But
    if its robots.txt has a Crawl-delay, the host rests after each request. The crawl lends any other host for a single
    request; after that, the lent host rests. The crawl also lends hosts that are reserved for other pages, so that two
    pages never wait for each other.
    """

    def __init__(
        self,
        fetcher: SubresourceFetcher,
        lends: HostLender,
        manners: Manners,
        max_body_bytes: int,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Start without hosts; `now` returns epoch seconds."""
        self._fetcher = fetcher
        self._lends = lends
        self._manners = manners
        self._max_body_bytes = max_body_bytes
        self._now = now
        self._sleep = sleep
        self._canonicaliser = Canonicaliser()
        self._kept = KeptScripts()
        self._hosts: dict[str, _Host] = {}

    async def rest_seconds(self, page: str) -> float:
        """Return how many seconds a page's own host may rest in total while the page is rendered."""
        rules = await self._lends.rules(page, is_own=True)
        asked = None if rules is None else rules.granted_delay(self._manners.max_crawl_delay_seconds)
        return min((asked or 0.0) * _RESTS_OF_A_PAGE, _LONGEST_RESTS)

    async def answer(self, page: str, wanted: SubresourceRequest, allowance: Allowance) -> SubresourceResponse:
        """Return the answer to a request of the page at the URL `page`."""
        if wanted.kind == STYLESHEET:
            return SubresourceResponse(wanted.number, 200, content_type="text/css")
        reason = allowance.objection(wanted.kind, wanted.method)
        url = self._canonicaliser.canonical(wanted.url)
        if not reason and url is not None:
            answer = await self._answer(page, url, wanted.kind, allowance)
            if isinstance(answer, Answer):
                return SubresourceResponse(
                    wanted.number, answer.status, answer.body, answer.content_encoding, answer.content_type
                )
            reason = answer
        allowance.refuse(wanted.kind, reason or "with an unsupported URL")
        return SubresourceResponse(wanted.number)

    async def _answer(self, page: str, url: str, kind: str, allowance: Allowance) -> Answer | str:
        """Return the response, or a text that says why the request is refused."""
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
        if isinstance(answer, Answer) and kind in KEPT and answer.status == 200 and not answer.login:
            self._kept.keep(url, answer, self._now())
        return answer

    async def _fetched(self, page: str, url: str, allowance: Allowance) -> Answer | str:
        """Make one request and return the response, or a text that says why the request is not allowed."""
        name = host_of(url)
        host = self._host(name)
        is_own = name == host_of(page)
        rules = await self._lends.rules(url, is_own=is_own)
        if rules is None:
            found = await self._fetcher.resolve(name)  # a forbidden address is recognised by its name
            reason = f" ({found.kind})" if isinstance(found, NoAnswer) else ""
            return f"of a host whose robots.txt cannot be read{reason}"
        if not rules.allows(path_of(url)):
            return "forbidden by robots.txt"
        asked = rules.granted_delay(self._manners.max_crawl_delay_seconds) or 0.0
        is_in_a_row = is_own and not asked

        async def fetched() -> Answer | NoAnswer | str:
            if allowance.exhaustion:  # used up by concurrent requests
                return allowance.exhaustion
            allowance.requests(url, rests=not is_in_a_row)
            limits = BodyLimits(None, min(self._max_body_bytes, allowance.bytes_left))
            answer = await self._fetcher.fetch(url, limits, by=page)
            size, login = (len(answer.body), answer.login) if isinstance(answer, Answer) else (0, "")
            allowance.received(url, size, answer.seconds, rests=not is_in_a_row, login=login)
            return answer

        in_turn = (
            partial(self._fetch_from_own_host, host, fetched)
            if is_in_a_row
            else partial(self._fetch_from_lent_host, url, asked, fetched)
        )
        answer = await _retry_if_stale(in_turn)
        return answer if isinstance(answer, Answer | str) else f"{answer.kind}"

    async def _fetch_from_own_host(self, host: _Host, fetched: Fetched) -> Answer | NoAnswer | str:
        """Make a request to the page's own host."""
        async with host.lock:
            if host.was_lent:
                await self._rest(host)
            answer = await fetched()
            self._start_rest(host, 0.0)
            host.was_lent = False
        return answer

    async def _fetch_from_lent_host(self, url: str, asked: float, fetched: Fetched) -> Answer | NoAnswer | str:
        """Make a request to another host, lent by the crawl; `asked` is the rest that the host asks for, in seconds."""
        give_back = await self._lends.borrow(url)
        if give_back is None:
            found = await self._fetcher.resolve(host_of(url))  # a forbidden address is recognised by its name
            return found if isinstance(found, NoAnswer) else "of a host that does not answer"
        host, seconds = self._host(host_of(url)), 0.0
        try:
            async with host.lock:
                await self._rest(host)
                answer = await fetched()
                seconds = 0.0 if isinstance(answer, str) else answer.seconds
                self._start_rest(host, asked)
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

    def _start_rest(self, host: _Host, asked: float) -> None:
        host.next_fetch = self._now() + max(self._manners.delay_seconds, asked)


async def _retry_if_stale(ask: Fetched) -> Answer | NoAnswer | str:
    """Make the request; make it once more if the server had just closed the idle connection that was used."""
    answer = await ask()
    return await ask() if isinstance(answer, NoAnswer) and answer.is_stale else answer
