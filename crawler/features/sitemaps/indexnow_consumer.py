"""Processes, during a crawl, the IndexNow notices that `serve` received and keeps in a file next to the store.

A notice counts only after the crawl has fetched the key file from the host, politely and if its robots.txt allows it,
and found the key there. Then the notice counts as a signal that a stored page has changed, and an unknown page of the
domain is queued for its first visit. A notice is finished only when its page has been visited, so no notice is lost if
the crawl is killed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from hinterland.crawler.features.recrawl.signals import SignalKind
from hinterland.crawler.features.sitemaps.indexnow import MOST_KEY_BYTES, is_in_key_file
from hinterland.crawler.features.sitemaps.outcomes import SignalReceiver
from hinterland.crawler.fetching.answers import Answer, BodyLimits
from hinterland.crawler.fetching.decoding import ContentDecodingError, decode_content
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.loop.page_visits import LINKS_AT_ONCE
from hinterland.crawler.loop.robots_reading import rules_of_host
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.urls.hosts import path_of
from hinterland.storage.failures import SqliteError
from hinterland.storage.indexnow_inbox import IndexNowInbox
from hinterland.storage.values.indexnow import IndexNowKey, KeyState, NoticeOutcome, WaitingNotice

_LOG = logging.getLogger(__name__)

_ROUND_EVERY: Final = 5.0
_ENDED_EVERY: Final = 60.0
"""Seconds between two searches for finished notices."""
_LEAST_PAUSE: Final = 0.01
_KEYS_AT_ONCE: Final = 16
_LIMITS: Final = BodyLimits(None, MOST_KEY_BYTES, cut=True)

LastVisits = Callable[[Sequence[int]], Awaitable[Mapping[int, float]]]
"""Returns when each page was last visited, in epoch seconds; pages that were never visited are left out."""


class IndexNowConsumer:
    """Processes notices while its `run` is running, beside the crawl. Mutable: it keeps the notices of this run."""

    def __init__(
        self,
        file: IndexNowInbox,
        revisits: SignalReceiver | None,
        scope: Scope,
        last_visits: LastVisits,
        workings: Workings,
    ) -> None:
        """Process the notices in `file`.

        `revisits` receives signals about stored pages; None if pages are not revisited.
        """
        assert workings.io.host_slots is not None
        self._file = file
        self._revisits = revisits
        self._workings = workings
        self._components = workings.components
        self._io = workings.io
        self._host_slots = workings.io.host_slots
        self._crawl_state = workings.crawl_state
        self._scope = scope
        self._last_visits = last_visits
        self._read_up_to = 0
        self._has_new_key = False
        self._pages: dict[int, tuple[int, float]] = {}
        """Number of a processed notice -> its page, and when the notice was sent, in epoch seconds."""
        self._checks: dict[int, asyncio.Task[None]] = {}
        self._ended_next = 0.0
        self._has_complained = False

    async def run(self) -> None:
        """Process notices and check keys every few seconds, until cancelled."""
        try:
            while True:
                try:
                    if await asyncio.to_thread(self._file.exists):
                        await self._round()
                except (SqliteError, OSError) as error:
                    self._complain(error)
                await asyncio.sleep(max(_ROUND_EVERY / self._io.now.speed, _LEAST_PAUSE))
        finally:
            for check in self._checks.values():
                check.cancel()
            await asyncio.gather(*self._checks.values(), return_exceptions=True)
            if self._pages:
                with suppress(SqliteError, OSError):  # the next run finds out
                    await self._end_those_visited()

    async def _round(self) -> None:
        if self._has_new_key:  # its notices may be older than others that were read
            self._has_new_key = False
            self._read_up_to = 0
        await self._take_up(await asyncio.to_thread(self._file.waiting, self._read_up_to))
        if self._pages and self._io.now() >= self._ended_next:
            self._ended_next = self._io.now() + _ENDED_EVERY
            await self._end_those_visited()
        for number in [number for number, check in self._checks.items() if check.done()]:
            self._checks.pop(number).result()
        for key in await asyncio.to_thread(self._file.keys_to_check, self._io.now()):
            if len(self._checks) < _KEYS_AT_ONCE and key.number not in self._checks and self._knows(key.host):
                self._checks[key.number] = asyncio.create_task(self._check(key))

    def _complain(self, error: Exception) -> None:
        if not self._has_complained:
            self._has_complained = True
            _LOG.warning("notices of changes in %s cannot be read: %s", self._file.path, error)

    # ---------------------------------------------------------------- what notices say

    async def _take_up(self, notices: Sequence[WaitingNotice]) -> None:
        for start in range(0, len(notices), LINKS_AT_ONCE):
            await self._take_up_some(notices[start : start + LINKS_AT_ONCE])
        if notices:
            self._read_up_to = notices[-1].number

    async def _take_up_some(self, notices: Sequence[WaitingNotice]) -> None:
        """Process the notices that are new to this run.

        A notice is finished if its page has been visited after the notice was sent, perhaps in an earlier run.
        """
        wanted: dict[int, tuple[str, float]] = {}
        outside: list[int] = []
        for notice in notices:
            url = self._components.canonicaliser.canonical(notice.url)
            if notice.number in self._pages:
                continue
            if url is None or not self._scope.is_local(url):
                outside.append(notice.number)
            else:
                wanted[notice.number] = (url, notice.said_at)
        found = {number: self._components.known.find(url) for number, (url, _) in wanted.items()}
        known = {number: page for number, page in found.items() if page is not None}
        visits = await self._last_visits(sorted(set(known.values())))
        visited = [number for number, page in known.items() if visits.get(page, 0.0) > wanted[number][1]]
        for numbers, end in ((outside, NoticeOutcome.OUTSIDE), (visited, NoticeOutcome.VISITED)):
            await self._end(numbers, end)
        left = {number: said for number, said in wanted.items() if number not in set(visited)}
        if left:
            pages: list[int] = []
            await self._workings.commits(self._crawl_state.take_up(partial(self._find, list(left.values()), pages)))
            self._pages.update(
                (number, (page, said_at)) for (number, (_, said_at)), page in zip(left.items(), pages, strict=True)
            )

    def _find(self, said: Sequence[tuple[str, float]], pages: list[int], discoveries: Discoveries) -> frozenset[int]:
        """Add and signal the pages of notices, given as (canonical URL, epoch seconds when the notice was sent)."""
        for url, at in said:
            pages.append(self._components.known.add_found(url, discoveries))
            if self._revisits is not None:
                self._revisits.signalled(pages[-1], SignalKind.PUSH, at)
        return frozenset()

    async def _end_those_visited(self) -> None:
        visits = await self._last_visits(sorted({page for page, _ in self._pages.values()}))
        visited = [number for number, (page, said_at) in self._pages.items() if visits.get(page, 0.0) > said_at]
        await self._end(visited, NoticeOutcome.VISITED)
        for number in visited:
            del self._pages[number]

    async def _end(self, numbers: Sequence[int], end: NoticeOutcome) -> None:
        if numbers:
            await asyncio.to_thread(self._file.ended, numbers, end, self._io.now())

    # ---------------------------------------------------------------- whether the host has the key

    def _knows(self, host: str) -> bool:
        """Return whether the crawl has requested a page of the host, so that it knows the host's robots.txt."""
        number = self._components.known.find_host(host)
        return number is not None and self._components.frontier.politeness_of(number).fetched > 0

    async def _check(self, key: IndexNowKey) -> None:
        state, detail = await self._found(key)
        await asyncio.to_thread(self._file.checked, key.number, state, detail, self._io.now())
        if state is KeyState.GOOD:
            self._has_new_key = True

    async def _found(self, key: IndexNowKey) -> tuple[KeyState, str]:
        url = self._components.canonicaliser.canonical(key.location)
        host = self._components.known.find_host(key.host)
        if url is None or host is None or self._components.known.find_host_of(url) != host:
            return KeyState.BAD, f"the key file {key.location} is not on the host {key.host}"
        if not (await rules_of_host(self._components.robots, host)).allows(path_of(url)):
            return KeyState.BAD, "robots.txt forbids the request"
        if (release := await self._host_slots.acquire(url)) is None:
            return KeyState.UNCHECKED, "the host does not answer"
        seconds = 0.0
        try:
            answer = await self._io.fetcher.fetch(url, _LIMITS)
            seconds = answer.seconds
        finally:
            release(seconds, 0.0)
        if not isinstance(answer, Answer):
            return KeyState.BAD if answer.is_final else KeyState.UNCHECKED, answer.detail
        if answer.status == 200:
            is_there = is_in_key_file(key.key, _decoded(answer))
            return (KeyState.GOOD, "") if is_there else (KeyState.BAD, f"{url} does not hold the key")
        is_certain = 400 <= answer.status < 500 and answer.status not in (408, 425, 429)
        return KeyState.BAD if is_certain else KeyState.UNCHECKED, f"{url} gives status {answer.status}"


def _decoded(answer: Answer) -> bytes:
    try:
        return decode_content(answer.body, answer.content_encoding, MOST_KEY_BYTES)
    except ContentDecodingError:
        return b""
