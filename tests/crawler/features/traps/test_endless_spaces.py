"""Whole crawls of sites beside which URLs go on without end."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hinterland.crawler.features.traps.guard import FROM_PAGES
from hinterland.crawler.features.traps.statistics import TrapStatistics
from hinterland.crawler.fetching.client.event_loop import CrawlLoop
from tests.support.crawling import Crawled, crawl, rows, states
from tests.support.web import Answer, Exchange, LoopbackWeb
from tests.support.web_behaviours import calendar_trap
from tests.support.web_thread import served

pytestmark = pytest.mark.slow

PAGES = 60
PATIENCE = {"patience": 20}


def site_with_calendar(web: LoopbackWeb) -> tuple[str, set[str]]:
    """(its seed, its pages): a site of which one page links to a calendar on the same host."""
    calendar = calendar_trap(web, "a.test")
    seed = web.page("a.test", "/", links=[calendar, *(f"/{each}" for each in range(1, 8))])
    urls = {seed}
    for each in range(1, PAGES):
        links = [f"/{link}" for link in (each * 7 + step for step in range(1, 8)) if link < PAGES]
        title = f"Page {'abcdefghij'[each % 10]} {'klmno'[each % 5]}"
        urls.add(web.page("a.test", f"/{each}", title=title, links=links))
    return seed, urls


async def crawl_calendar(store: Path, web: LoopbackWeb, **changes: object) -> tuple[Crawled, set[str]]:
    seed, urls = site_with_calendar(web)
    traps = PATIENCE | dict(changes)
    policy = traps.pop("policy", "bfs")
    limit = traps.pop("max_pages", None)
    assert limit is None or isinstance(limit, int)
    return await crawl(web.addresses, [seed], store, max_pages=limit, traps=traps, policy={"name": policy}), urls


@dataclass(frozen=True, slots=True)
class Left:
    """A crawl that has left the calendar, with the URLs of the site and how many requests it took."""

    crawled: Crawled
    urls: set[str]
    requests: int
    web: LoopbackWeb

    def copied(self, folder: Path) -> Path:
        """A store of one's own to go on with."""
        return Path(shutil.copy(self.crawled.store, folder / "store.db"))


async def left_under(policy: str, store: Path, web: LoopbackWeb) -> Left:
    crawled, urls = await crawl_calendar(store, web, policy=policy)
    return Left(crawled, urls, len(web.requests()), web)


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Left]:
    """By bfs; several tests go on from here, on the same web."""
    store = tmp_path_factory.mktemp("left") / "store.db"
    with served(LoopbackWeb()) as web, asyncio.Runner(loop_factory=CrawlLoop) as runner:
        yield runner.run(left_under("bfs", store, web))


@pytest.mark.thorough
@pytest.mark.parametrize("policy", ["dfs", "pagerank"])
async def test_a_calendar_without_end_is_left_by_other_orders_too(policy: str, tmp_path: Path) -> None:
    """Regular runs: test_trap_guard.py, test_the_order_of_the_crawl_makes_no_difference, without a network."""
    async with LoopbackWeb() as web:
        the_calendar_is_left_and_the_site_is_not(await left_under(policy, tmp_path / "store.db", web))


def test_a_calendar_without_end_is_left_and_the_site_around_it_is_not(left: Left) -> None:
    the_calendar_is_left_and_the_site_is_not(left)


def the_calendar_is_left_and_the_site_is_not(left: Left) -> None:
    crawled, urls = left.crawled, left.urls
    assert PAGES + FROM_PAGES < left.requests < 600
    assert crawled.reason.label == "spaces-left"
    found = states(crawled.store)
    assert {found[url] for url in urls} == {"fetched"}
    slowed = rows(crawled.store, "SELECT shape, suspicion, left_waiting FROM slowed")
    assert {(shape.split("?")[0], suspicion) for shape, suspicion, _ in slowed} == {("/calendar", "repeats")}
    waiting = sum(left_waiting for _, _, left_waiting in slowed)
    assert waiting == rows(crawled.store, "SELECT count(*) FROM page WHERE state = 'waiting'")[0][0] > 0
    traps = crawled.statistics.of(TrapStatistics)
    assert traps is not None
    assert traps.left_waiting == waiting


async def test_a_resumed_crawl_goes_on_in_a_space_only_with_more_patience(left: Left, tmp_path: Path) -> None:
    store, web = left.copied(tmp_path), left.web
    before = len(web.requests())
    again, _ = await crawl_calendar(store, web)
    first = len(web.requests())
    patient, _ = await crawl_calendar(store, web, patience=150)  # months and days spend it together
    second = len(web.requests())
    assert first - before < 10
    assert again.reason.label == patient.reason.label == "spaces-left"
    assert 40 <= second - first < 200


async def test_with_the_guard_switched_off_a_calendar_is_fetched_as_far_as_the_budget_goes(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        crawled, _ = await crawl_calendar(tmp_path / "store.db", web, enabled=False, max_pages=450)
    assert crawled.reason.label == "max-pages"
    assert crawled.statistics.of(TrapStatistics) is None
    assert not rows(crawled.store, "SELECT * FROM slowed")


async def test_what_one_run_slowed_is_forgotten_by_one_without_the_guard(left: Left, tmp_path: Path) -> None:
    store = left.copied(tmp_path)
    assert rows(store, "SELECT * FROM slowed")
    await crawl_calendar(store, left.web, enabled=False, max_pages=left.requests + 20)
    assert not rows(store, "SELECT * FROM slowed")


FOLDERS = "/a/b/c/d/e/f/g/h/i"


@pytest.mark.parametrize(
    "hrefs",
    [
        [f"{FOLDERS}/{{n}}", f"{FOLDERS}/{{n}}/x/y"],
        [f"{FOLDERS}/j/{{n}}", f"{FOLDERS}/j?at={{n}}", f"{FOLDERS}/j/k/{{n}}"],
        ["/list?at={n}", "/list?={n}", "/list??={n}"],
        ["/list?={n}", "/list?=x&={n}", "/list/?={n}"],
        ["/shop/*/{n}", "/shop/+/{n}", "/shop/%7Bn%7D/{n}", "/shop/…/{n}"],
    ],
)
async def test_urls_without_end_whose_shapes_look_alike_end_no_crawl(hrefs: list[str], tmp_path: Path) -> None:
    async def without_end(exchange: Exchange) -> None:
        numbers = [int(number) for number in re.findall(r"(?<=[=/])[0-9]+", exchange.request.path)]
        links = (href.format(n=max(numbers, default=0) + 1) for href in hrefs)
        html = "".join(f'<a href="{link}">on</a>' for link in links)
        await Answer(f"<title>The same</title>{html}".encode())(exchange)

    async with LoopbackWeb() as web:
        seed = web.answer("a.test", "*", without_end)
        crawled = await crawl(web.addresses, [seed], tmp_path / "s.db", max_pages=600, traps={"patience": 50})
    assert crawled.reason.label in ("spaces-left", "max-pages")
    assert rows(crawled.store, "SELECT count(*) FROM slowed")[0][0] > 0
