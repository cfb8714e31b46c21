"""A crawl that keeps its pages true under a budget, by a clock that leaps over the time between looks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.features.recrawl.revisit_statistics import RevisitStatistics
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.storage.reading.opening import reading
from tests.support.changing_web import TEXT, Documents, home
from tests.support.crawling import Crawled, crawl, rows
from tests.support.leaping_clock import LeapingClock
from tests.support.web import Exchange, LoopbackWeb

DAY = 86_400.0
BEGINS = 20_000 * DAY
QUIET = [f"q{number}" for number in range(5)]


class News(Documents):
    """One page says something else every virtual day."""

    def __init__(self, web: LoopbackWeb, clock: LeapingClock) -> None:
        super().__init__(web, home=home("news", *QUIET), **{name: TEXT.format(name, "") for name in QUIET})
        self.clock = clock

    async def __call__(self, exchange: Exchange) -> None:
        self["news"] = TEXT.format(f"day{int(self.clock() // DAY)}x", "")
        await super().__call__(exchange)


async def kept_fresh(
    web: LoopbackWeb, store: Path, clock: LeapingClock, *, days: float, budget: float = 6.0, **changes: Any
) -> Crawled:
    web.log.clear()
    revisiting = Revisiting(budget / DAY, days * DAY)
    changes = {"revisits": {"longest_days": 20.0}} | changes
    return await crawl(web.addresses, [], store, watch=clock.watch, revisiting=revisiting, clock=clock, **changes)


def visits(web: LoopbackWeb) -> Counter[str]:
    return Counter(request.path.removeprefix("/") for request in web.requests())


@pytest.mark.slow
async def test_pages_that_change_are_visited_more_often_none_is_forgotten_and_a_restart_knows_them(
    tmp_path: Path,
) -> None:
    clock = LeapingClock(BEGINS)
    async with LoopbackWeb() as web:
        News(web, clock)
        await crawl(web.addresses, [web.url("a.test", "/home")], tmp_path / "s.db", watch=clock.watch, clock=clock)
        done = await kept_fresh(web, tmp_path / "s.db", clock, days=20)
        made = visits(web)
        assert done.reason is EndReason.TIME_UP
        assert made["news"] > 2 * max(made[name] for name in QUIET)
        assert min(made[name] for name in QUIET) >= 1
        assert 6 * 20 - 2 <= sum(made.values()) <= 6 * 20 + 1, "the budget is spent, and not overspent"
        revisits = done.statistics.of(RevisitStatistics)
        assert revisits is not None
        assert revisits.outlook is not None
        assert 0.3 < revisits.outlook.freshness <= 1.0
        fastest = "SELECT url FROM page JOIN look ON look.page = page.id ORDER BY rate DESC LIMIT 1"
        [(url,)] = rows(tmp_path / "s.db", fastest)
        assert url.endswith("/news")
        with reading(tmp_path / "s.db") as stored:
            fresh = stored.history.freshness(clock())
        assert fresh is not None
        assert (fresh.pages, fresh.learnt) == (1 + len(QUIET) + 1, fresh.pages)
        assert fresh.current is not None
        assert 0.3 < fresh.current <= 1.0
        assert fresh.oldest_at <= clock()

        await kept_fresh(web, tmp_path / "s.db", clock, days=3, budget=3.0)
        made = visits(web)
        assert made["news"] > max(made[name] for name in QUIET)


@pytest.mark.slow
async def test_what_was_learnt_of_a_page_follows_it_where_it_moves(tmp_path: Path) -> None:
    clock = LeapingClock(BEGINS)
    async with LoopbackWeb() as web:
        News(web, clock)
        await crawl(web.addresses, [web.url("a.test", "/home")], tmp_path / "s.db", watch=clock.watch, clock=clock)
        await kept_fresh(web, tmp_path / "s.db", clock, days=10)
        web.redirect("a.test", "/news", "/latest")
        web.page("a.test", "/latest", title="All that is new")
        await kept_fresh(web, tmp_path / "s.db", clock, days=10)
    rates = dict(rows(tmp_path / "s.db", "SELECT url, rate FROM page JOIN look ON look.page = page.id"))
    assert rates[web.url("a.test", "/latest")] > 2 * rates[web.url("a.test", "/q0")]
    assert rates[web.url("a.test", "/latest")] > rates[web.url("a.test", "/news")]
