"""Starts the shards of a crawl, carries messages between them, and detects when all of them are done.

    start ──► crawling ──► all are idle and nothing is in flight between them ──► finish ──► ended
      ▲          │
      └── lost ◄─┘

A shard that is lost is started again under its next epoch, a number that no earlier start of the shard had. The
contents of its store remain valid, and messages that it had not acknowledged are sent again.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from hinterland.crawler.assembly.running import CrawlResult
from hinterland.crawler.cluster.address_book import AddressBook
from hinterland.crawler.cluster.budget import BudgetShares
from hinterland.crawler.cluster.launcher import Launcher, Shard, ShardFailed, ShardLost, ShardOrder
from hinterland.crawler.cluster.refreshing import Refreshing, Shipped
from hinterland.crawler.cluster.silence_limit import SILENCE_SECONDS, START_SECONDS, SilenceLimit
from hinterland.crawler.cluster.summing import at_rest, summed
from hinterland.crawler.features.exchange.shard_status import ShardStatus, TerminationDetector
from hinterland.crawler.features.exchange.url_forwarding import ShardUnavailable
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics
from hinterland.crawler.policies import make_policy
from hinterland.crawler.settings import Settings
from hinterland.storage.values.shards import FoundPage

_LOOK_SECONDS: Final = 0.2
_PATIENCE_SECONDS = 2.0
_SILENCE_SECONDS, _START_SECONDS = SILENCE_SECONDS, START_SECONDS
_STARTING_SECONDS = 30.0
"""If a shard has not answered this many seconds after its start, a warning says what holds it up. Further warnings
follow whenever the time has doubled."""
_MOST_LOSSES, _WITHIN_SECONDS = 5, 60.0
"""A shard that is lost this many times within this many seconds is not restarted."""
_BY_PRECEDENCE: Final = (
    *(EndReason.NETWORK_DOWN, EndReason.ABORTED, EndReason.STOPPED, EndReason.MAX_PAGES, EndReason.HOSTS_GIVEN_UP),
    *(EndReason.RETRIES_LEFT, EndReason.SPACES_LEFT, EndReason.EXHAUSTED, EndReason.NOTHING_FETCHED),
)
"""The reasons why shards end, in order of precedence: the first one that any shard has is the reason of the whole
crawl."""


class Driver:
    """Runs a crawl over its shards. Mutable: which shards run, their status, and how they ended."""

    def __init__(
        self,
        launcher: Launcher,
        orders: Sequence[ShardOrder],
        next_epoch: Callable[[int], int],
        warn: Callable[[str], None],
        folder: Path,
        max_pages: int | None = None,
    ) -> None:
        """Prepare a run.

        `next_epoch` returns an epoch of a shard that was never used before. `folder` is for large files; see Analyst.
        `max_pages` limits the HTML pages over all stores; None for no limit.
        """
        self._launcher = launcher
        self._orders = orders
        self._next_epoch = next_epoch
        self._warn = warn
        self._warned = set[str]()
        self._shards: dict[int, Shard] = {}
        self._statuses: dict[int, ShardStatus] = {}
        self._results: dict[int, CrawlResult] = {}
        self._termination = TerminationDetector()
        self._budget = None if max_pages is None else BudgetShares(max_pages)
        settings = orders[0].request.settings
        self._refreshing = _refreshing(settings, self._shards, len(orders), self._pages, self.warn, folder)
        self._addresses = AddressBook(settings.politeness.address_delay_seconds)
        self._is_finishing = False
        self._is_stopping = False
        numbers = [order.mark.number for order in orders]
        self._silence_limits = {number: SilenceLimit(_SILENCE_SECONDS, _START_SECONDS) for number in numbers}
        self._warn_at = dict[int, float]()
        """For each shard, after how many seconds of silence the next warning says what holds up its start."""
        self._stopping: set[asyncio.Task[None]] = set()
        self._sending_again: set[asyncio.Task[None]] = set()

    async def run(self) -> EndReason:
        """Run until all shards have ended; return why the crawl ended.

        Raises ShardFailed if a shard cannot continue; by then the others have stopped.
        """
        try:
            async with asyncio.TaskGroup() as scope:
                beside = [scope.create_task(self._look())]
                if self._refreshing is not None:
                    beside.append(scope.create_task(self._refreshing.run()))
                await asyncio.wait([scope.create_task(self._keep(order)) for order in self._orders])
                for task in beside:
                    task.cancel()
        except ExceptionGroup as group:
            failed = next((error for error in group.exceptions if isinstance(error, ShardFailed)), None)
            if failed is None:
                raise
            raise failed from group
        finally:
            for task in self._sending_again:
                task.cancel()
            await asyncio.gather(*self._sending_again, return_exceptions=True)
            await self._launcher.close()
        return self._reason()

    def stop(self) -> None:
        """Begin no more visits; `run` returns once the visits under way are finished and written."""
        self._is_stopping = True
        for shard in self._shards.values():
            task = asyncio.create_task(_sent(shard.stop()))
            self._stopping.add(task)
            task.add_done_callback(self._stopping.discard)

    def statistics(self) -> CrawlStatistics:
        """Return the statistics of the whole crawl, as far as they are known."""
        of_each = {number: status.statistics for number, status in self._statuses.items()}
        of_each |= {number: result.statistics for number, result in self._results.items()}
        return summed(list(of_each.values()), self._budget.max_pages if self._budget is not None else None)

    @property
    def shipped(self) -> Shipped | None:
        """The traffic caused by ranking the pages of all shards together; None if each shard ranks its own."""
        return self._refreshing.shipped if self._refreshing is not None else None

    def _pages(self) -> int:
        """Return the number of pages fetched, in all stores."""
        statistics = self.statistics()
        return statistics.fetched_before + statistics.pages_fetched

    def warn(self, text: str) -> None:
        """Pass on a warning. If several shards give the same warning, it is passed on only once."""
        if text not in self._warned:
            self._warned.add(text)
            self._warn(text)

    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        """Deliver pages from one shard to another. Raises ShardUnavailable."""
        receiver = self._shards.get(shard)
        if receiver is None:
            raise ShardUnavailable
        await receiver.deliver(found)

    def has_lost(self, shard: int) -> None:
        """Make all shards resend what this shard had acknowledged, because it continues with a copy of its store."""
        self._sending_again.add(asyncio.create_task(self._send_again(shard)))

    async def _send_again(self, shard: int) -> None:
        for order in self._orders:
            number = order.mark.number
            while number != shard and number not in self._results:
                with suppress(ShardUnavailable, KeyError):
                    await self._shards[number].send_again(shard)
                    break
                await asyncio.sleep(_LOOK_SECONDS)

    # ---------------------------------------------------------------- each shard

    async def _keep(self, order: ShardOrder) -> None:
        """Run a shard until it has ended; restart it whenever it is lost."""
        number, losses = order.mark.number, deque[float](maxlen=_MOST_LOSSES)
        while True:
            mark = replace(order.mark, epoch=self._next_epoch(number))
            try:
                shard = await self._launcher.start(replace(order, mark=mark), self)
            except OSError as error:
                raise ShardFailed(f"shard {number + 1} cannot be started: {error}") from error
            self._silence_limits[number].started()
            self._warn_at.pop(number, None)
            self._shards[number] = shard
            if self._is_stopping:
                await _sent(shard.stop())
            try:
                self._results[number] = await shard.ended
            except ShardLost as error:
                del self._shards[number]
                if (status := self._statuses.get(number)) is not None:
                    self._statuses[number] = replace(status, statistics=at_rest(status.statistics))
                losses.append(time.monotonic())
                if self._is_stopping:
                    self._warn(f"{error}; the pages it had fetched are in its store")
                    return
                if len(losses) == _MOST_LOSSES and losses[-1] - losses[0] < _WITHIN_SECONDS:
                    raise ShardFailed(
                        f"{error}; this is the {_MOST_LOSSES}th time within a minute, so it is not restarted"
                    ) from error
                self._warn(f"{error}; it is being restarted")
                continue
            del self._shards[number]
            self._addresses.ended(number, time.monotonic())
            if not self._is_finishing and not self._is_stopping:
                self.stop()  # this shard is done, so the others could not hand pages over to it
            return

    # ---------------------------------------------------------------- all of them

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            statuses = await asyncio.gather(*(self._status(order.mark.number) for order in self._orders))
            if self._is_finishing:
                await asyncio.gather(*(_sent(shard.finish()) for shard in self._shards.values()))
            await self._send_address_notices(statuses)
            for task in [task for task in self._sending_again if task.done()]:
                self._sending_again.discard(task)
                task.result()
            if self._is_stopping or self._is_finishing:
                continue
            if await self._share_out(statuses) or self._sending_again:
                continue
            self._is_finishing = self._termination.is_over(statuses)

    async def _status(self, number: int) -> ShardStatus | None:
        shard, limit = self._shards.get(number), self._silence_limits[number]
        if shard is None:
            return None
        try:
            # The other shards must be asked, too, and not wait for one that is still starting.
            async with asyncio.timeout(_PATIENCE_SECONDS if limit.has_answered else _LOOK_SECONDS):
                status = await shard.status()
        except TimeoutError:
            await self._consider_giving_up(number, shard)
            return None
        except ShardUnavailable:
            status = None
        if self._shards.get(number) is shard:  # it may have been lost before its answer was read
            limit.answered(time.monotonic())
            if status is not None:
                self._statuses[number] = status
        return status

    async def _consider_giving_up(self, number: int, shard: Shard) -> None:
        limit, name = self._silence_limits[number], f"shard {number + 1}"
        silence = limit.silence(time.monotonic())
        is_over, is_starting = silence >= limit.seconds, not limit.has_answered
        if is_starting and (is_over or silence >= self._warn_at.get(number, _STARTING_SECONDS)):
            held_up = await shard.held_up()
            if silence >= self._warn_at.get(number, _STARTING_SECONDS):
                self._warn_at[number] = 2 * silence
                self._warn(f"{name} has not started after {silence:.0f} seconds: {held_up.why}")
            if is_over and held_up.by_room:
                limit.prolong()
                return
        if is_over:
            self._warn(f"{name} has not answered for {silence:.0f} seconds; ending it")
            limit.ended()
            await shard.give_up()

    async def _send_address_notices(self, statuses: Sequence[ShardStatus | None]) -> None:
        """Send address notices to shards that requested addresses, and to owners of addresses that must be shared."""
        asked = {number: each.addresses for number, each in enumerate(statuses) if each is not None}
        for number, notice in self._addresses.asked(asked, time.monotonic()).items():
            with suppress(ShardUnavailable, KeyError, TimeoutError):
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self._shards[number].addresses_told(notice.alone, notice.shared)
                self._addresses.confirmed(number, notice, time.monotonic())

    async def _share_out(self, statuses: Sequence[ShardStatus | None]) -> bool:
        """Share out the page budget; return whether a shard's limit has changed."""
        if self._budget is None:
            return False
        grants = self._budget.grants(statuses)
        for number, limit in grants.items():
            if (shard := self._shards.get(number)) is not None:
                await _sent(shard.allow(limit))
        return bool(grants)

    def _reason(self) -> EndReason:
        reasons = {result.reason for result in self._results.values()}
        if self._budget is not None and self._pages() < self._budget.max_pages and EndReason.MAX_PAGES in reasons:
            reasons.remove(EndReason.MAX_PAGES)  # the reason of shards that gave back a part of their share
            if any(result.statistics.frontier.retrying for result in self._results.values()):
                reasons.add(EndReason.RETRIES_LEFT)
        if self._is_stopping and not reasons & {EndReason.NETWORK_DOWN, EndReason.ABORTED}:
            return EndReason.STOPPED
        if reasons <= {EndReason.NOTHING_FETCHED}:
            return EndReason.NOTHING_FETCHED if reasons else EndReason.EXHAUSTED
        return next(reason for reason in _BY_PRECEDENCE if reason in reasons)


def _refreshing(
    settings: Settings,
    shards: Mapping[int, Shard],
    count: int,
    fetched: Callable[[], int],
    warn: Callable[[str], None],
    folder: Path,
) -> Refreshing | None:
    """Return the task that ranks all shards together; None if nothing is ranked or there is only one shard."""
    policy = settings.policy
    if count == 1 or not make_policy(policy.name, policy.seed).needs_refresh:
        return None
    return Refreshing(shards, count, policy, fetched, warn, folder)


async def _sent(telling: Awaitable[object]) -> None:
    """Await a call, but ignore it if the shard does not answer.

    The next status request finds such a shard, and the driver gives it up if it stays silent for long.
    """
    with suppress(ShardUnavailable, TimeoutError):
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await telling
