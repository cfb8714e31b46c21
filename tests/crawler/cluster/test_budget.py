from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.cluster.budget import BudgetShares
from hinterland.crawler.features.exchange.shard_status import ShardStatus
from hinterland.crawler.loop.decisions.endings import EndReason
from tests.support.crawl_statistics import FRONTIER, statistics


@dataclass
class FakeShard:
    """Fetches `pace` of its pages between two looks, as far as it may, and finds no others. later: of its pages, those
    that are to be tried again too late for this crawl."""

    pages: int
    pace: int
    later: int = 0
    fetched: int = 0
    limit: int = 0

    def work(self) -> int:
        """Until the next look; how many pages fewer than without a limit."""
        wanted = min(self.pace, self.pages - self.fetched)
        done = max(0, min(wanted, self.limit - self.fetched))
        self.fetched += done
        return wanted - done

    def status(self) -> ShardStatus:
        is_full, is_done = self.fetched >= self.limit, self.fetched == self.pages
        pending_end = EndReason.MAX_PAGES if is_full else EndReason.RETRIES_LEFT if is_done else None
        frontier = replace(FRONTIER, waiting=self.pages - self.fetched + self.later, in_flight=0)
        return ShardStatus(
            1, pending_end, 0, 0, 0, statistics(0.0, self.fetched, frontier=frontier, max_pages=self.limit)
        )


def crawled(shards: list[FakeShard], max_pages: int, killed_at: int | None = None) -> list[int]:
    """Return, for each round, how many pages were not fetched for want of a share while the budget was not used up.

    Before the round `killed_at` the first shard was killed and restarted.
    """
    budget, missed = BudgetShares(max_pages), list[int]()
    for look in range(10_000):
        if look == killed_at:
            shards[0].limit = 0  # as it begins
        grants = budget.grants([shard.status() for shard in shards])
        for number, limit in grants.items():
            shards[number].limit = max(limit, shards[number].fetched)
        assert sum(max(shard.limit, shard.fetched) for shard in shards) <= max_pages
        before = [shard.fetched for shard in shards]
        missed.append(sum(shard.work() for shard in shards))
        if not grants and look > (killed_at or 0) and before == [shard.fetched for shard in shards]:
            return missed
        if sum(shard.fetched for shard in shards) == max_pages:
            missed.pop()
    raise AssertionError("it never ends")


SHARDS = st.lists(
    st.builds(FakeShard, pages=st.integers(0, 300), pace=st.integers(1, 50), later=st.integers(0, 3)),
    min_size=1,
    max_size=6,
)


@pytest.mark.slow
@given(SHARDS, st.integers(0, 1000), st.none() | st.integers(0, 20))
def test_shards_fetch_as_many_pages_as_there_are_or_as_they_may_and_never_more(
    shards: list[FakeShard], max_pages: int, killed_at: int | None
) -> None:
    crawled(shards, max_pages, killed_at)
    assert sum(shard.fetched for shard in shards) == min(max_pages, sum(shard.pages for shard in shards))


def test_one_shard_never_waits_for_a_share() -> None:
    missed = crawled([FakeShard(pages=10_000, pace=70)], 4000)
    assert not any(missed[:-1])


def test_several_shards_wait_for_a_share_only_where_the_budget_ends() -> None:
    missed = crawled([FakeShard(pages=100_000, pace=70), FakeShard(pages=100_000, pace=40)], 4000)
    assert not any(missed[: 3900 // 110])
    assert len(missed) < 4000 // 110 + 5


def test_a_shard_that_runs_out_of_pages_gives_back_what_it_was_granted() -> None:
    shards = [FakeShard(pages=3, pace=5), FakeShard(pages=5000, pace=5)]
    crawled(shards, 1000)
    assert [shard.fetched for shard in shards] == [3, 997]


def test_nothing_is_granted_while_a_shard_does_not_answer() -> None:
    assert not BudgetShares(100).grants([FakeShard(pages=9, pace=1).status(), None])
