"""Ranks the waiting pages of all shards together, at regular intervals.

    learnt (all shards) ──► Analyst.take ──► places (all) ──► answer, urgencies ──► rank (all)

If any step fails, only time is lost: the shards keep their present order, and the next refresh starts with an empty
graph, as it does after a shard was restarted.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from hinterland.crawler.assembly.warm_up import CrawlWarmUp
from hinterland.crawler.cluster.analyst import Analyst
from hinterland.crawler.cluster.launcher import Shard
from hinterland.crawler.features.exchange.url_forwarding import ShardUnavailable
from hinterland.crawler.loop.preparation import Preparation
from hinterland.crawler.settings import PolicySettings

_Answer = TypeVar("_Answer")

_LOOK_SECONDS: Final = 0.2


@dataclass(slots=True)
class Shipped:
    """Bytes sent to the analyst (`there`) and sent back (`back`), and the number of refreshes. Mutable."""

    there: int = 0
    back: int = 0
    refreshes: int = 0


class Refreshing:
    """Ranks the pages of all shards together, while `run` is executed alongside the shards."""

    def __init__(
        self,
        shards: Mapping[int, Shard],
        count: int,
        settings: PolicySettings,
        fetched: Callable[[], int],
        warn: Callable[[str], None],
        folder: Path,
    ) -> None:
        """Prepare the ranking.

        `shards` holds the shards that run now, by number; `count` is the number of all shards. `fetched` returns the
        number of pages in all stores. `folder` is for large files; see Analyst.
        """
        self.shipped = Shipped()
        self._shards = shards
        self._count = count
        self._settings = settings
        self._fetched = fetched
        self._warn = warn
        self._folder = folder
        self._analyst: Analyst | None = None
        self._of: list[Shard] = []
        """The shards whose graphs the analyst holds."""

    async def run(self) -> None:
        """Refresh whenever enough pages were fetched or enough time has passed, as set for the policy."""
        await Preparation(CrawlWarmUp(policy=self._settings.name, shared="yes")).run()
        before, last = self._fetched(), time.monotonic()
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            fetched = self._fetched()
            is_time = time.monotonic() - last >= self._settings.refresh_seconds and fetched > before
            if not is_time and fetched - before < self._settings.refresh_pages:
                continue
            before = fetched
            await self.refresh()
            last = time.monotonic()

    async def refresh(self) -> bool:
        """Refresh once; return whether that succeeded."""
        shards = [self._shards[number] for number in range(self._count) if number in self._shards]
        if len(shards) < self._count:
            return False  # one is being restarted
        analyst, self._analyst = self._analyst, None
        if analyst is None or self._of != shards:
            analyst = Analyst(self._count, self._settings.name, self._settings.seed, self._folder)
        try:
            await self._refresh(analyst, shards)
        except ShardUnavailable:
            return False
        except MemoryError:
            self._warn(
                "there is not enough memory to rank the pages of all shards together; each shard keeps its own order"
            )
            return False
        except OSError as error:
            self._warn(
                f"cannot rank the pages of all shards together: {error}, in {self._folder};"
                " each shard keeps its own order"
            )
            return False
        self._analyst, self._of = analyst, shards
        self.shipped.refreshes += 1
        return True

    async def _refresh(self, analyst: Analyst, shards: Sequence[Shard]) -> None:
        cursors = analyst.cursors()
        deltas = await _all([shard.learnt(since) for shard, since in zip(shards, cursors, strict=True)])
        asked = await asyncio.to_thread(analyst.take, deltas)
        self.shipped.there += sum(delta.size for delta in deltas)
        below = [delta.until.pages for delta in deltas]
        del deltas  # they may be large
        asking = zip(shards, asked, below, strict=True)
        answers = await _all([shard.places(names, pages) for shard, names, pages in asking])
        await asyncio.to_thread(analyst.answer, answers)
        urgencies = await asyncio.to_thread(analyst.urgencies, self._settings.refresh_pages)
        await _all([shard.rank(own) for shard, own in zip(shards, urgencies, strict=True)])
        self.shipped.there += sum(each.nbytes for each in answers)
        self.shipped.back += sum(each.nbytes for each in asked) + sum(each.nbytes for each in urgencies)


async def _all(asked: Sequence[Awaitable[_Answer]]) -> list[_Answer]:
    """Return all answers. Raises ShardUnavailable if a shard does not answer."""
    answers = await asyncio.gather(*asked, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]
