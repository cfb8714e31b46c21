"""Random walks over a served web: what they fetch, and how good their samples are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from hinterland.analysis.graph import Graph
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.lab.live_walk.feature import LiveWalks
from hinterland.lab.live_walk.live_walk import LiveSample, WalkRequest
from hinterland.lab.structure.density import undirected
from hinterland.lab.walks.diagnostics import by_degree, chi_square, effective_size
from hinterland.lab.walks.sampling import METHODS, Plan
from tests.support.crawling import Crawled, crawl, rows
from tests.support.web import Answer, Exchange, Handler, LoopbackWeb, graph_page, random_graph, web_from_graph

pytestmark = pytest.mark.slow

PAGES, PER_HOST = 90, 30
PLAN = Plan(50, 4000, 20_000)


async def walked(
    web: LoopbackWeb,
    store: Path,
    method: str = "undirected",
    plan: Plan = PLAN,
    *,
    start: int = 0,
    max_pages: int | None = None,
    excluded: Sequence[str] = (),
    networks: Sequence[str] = ("127.0.0.0/8",),
    retry_seconds: float = 0.001,
    patience_seconds: float = 600.0,
) -> tuple[Crawled, LiveSample | None]:
    """How a walk ended, and its sample. start: the number of a page."""
    delivered: list[LiveSample] = []
    url = web.url(*graph_page(start, PER_HOST))
    crawled = await crawl(
        web.addresses,
        [url],
        store,
        max_pages=max_pages,
        retry_seconds=retry_seconds,
        politeness={"max_retry_wait_seconds": patience_seconds},
        chooser=LiveWalks(WalkRequest(METHODS[method], plan, 1, url, delivered.append)),
        scope={"kind": "web", "exclude": tuple(excluded)},
        fetching={"allow_networks": tuple(networks)},
    )
    return crawled, delivered[0] if delivered else None


def urls_of(store: Path) -> dict[int, str]:
    return dict(rows(store, "SELECT id, url FROM page"))


def graph_numbers(store: Path, sample: LiveSample) -> list[int]:
    """The pages of a sample as the graph of the web numbers them."""
    urls = urls_of(store)
    return [int(urls[page].rpartition("/p")[2]) for page in sample.pages[sample.sample.pages].tolist()]


@pytest.mark.parametrize("method", METHODS)
async def test_only_pages_that_the_walk_comes_to_are_fetched_and_each_of_them_once(method: str, tmp_path: Path) -> None:
    web = web_from_graph(*random_graph(3, PAGES), PAGES, PER_HOST)
    async with web:
        crawled, live = await walked(web, tmp_path / "walk.db", method, Plan(0, 25, 10))
    assert crawled.reason is EndReason.STOPPED
    assert live is not None
    assert set(web.fetches().values()) == {1}
    assert len(web.requests()) <= 37  # steps, the start and the end
    urls = urls_of(tmp_path / "walk.db")
    fetched = {web.url(*each) for each in web.fetches()}
    assert {urls[page] for page in live.pages[live.sample.visited].tolist()} <= fetched
    assert len(rows(tmp_path / "walk.db", "SELECT 1 FROM page WHERE state = 'waiting'")) > 0  # for a crawl that goes on


async def test_an_undirected_sample_is_uniform_over_the_pages_of_the_web(tmp_path: Path) -> None:
    sources, targets = random_graph(3, PAGES)
    web = web_from_graph(sources, targets, PAGES, PER_HOST)
    async with web:
        _, live = await walked(web, tmp_path / "walk.db", "undirected", Plan(500, 20_000, 0))
    assert live is not None
    numbers = np.array(graph_numbers(tmp_path / "walk.db", live), np.int32)
    truth = undirected(Graph.from_links(sources, targets, PAGES))
    buckets = by_degree(truth.outdegrees, numbers, np.arange(PAGES, dtype=np.int32))
    size = effective_size(np.log1p(truth.outdegrees[numbers].astype(np.float64)))
    assert chi_square(buckets, size).p_value > 0.001
    assert len(set(numbers.tolist())) == PAGES
    known = {int(url.rpartition("/p")[2]): page for page, url in urls_of(tmp_path / "walk.db").items()}
    place = {page: place for place, page in enumerate(live.pages.tolist())}
    assert [live.degrees[place[known[page]]] for page in range(PAGES)] == truth.outdegrees.tolist()


async def test_the_same_walk_again_fetches_nothing_twice(tmp_path: Path) -> None:
    store = tmp_path / "walk.db"
    web = web_from_graph(*random_graph(3, PAGES), PAGES, PER_HOST)
    async with web:
        cut, none = await walked(web, store, "directed", max_pages=20)
        assert cut.reason is EndReason.MAX_PAGES
        assert none is None
        assert len(web.requests()) == 20
        _, live = await walked(web, store, "directed")
        asked = web.fetches()
        assert set(asked.values()) == {1}
        _, again = await walked(web, store, "directed")
        assert web.fetches() == asked
    assert live is not None
    assert again is not None


async def test_a_store_of_a_crawl_is_gone_on_with(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    web = web_from_graph(*random_graph(3, PAGES), PAGES, PER_HOST)
    async with web:
        await crawl(web.addresses, [web.url(*graph_page(0, PER_HOST))], store, max_pages=30, scope={"kind": "web"})
        assert len(web.requests()) == 30
        _, live = await walked(web, store, "regular", Plan(0, 2000, 0), start=2)
    assert live is not None
    assert len(web.requests()) > 30
    assert set(web.fetches().values()) == {1}


async def test_pages_that_cannot_be_had_are_left_and_are_not_in_the_sample(tmp_path: Path) -> None:
    web = web_from_graph(*random_graph(3, PAGES), PAGES, PER_HOST)
    bad = {4: 404, 40: 500, 70: 410}
    for page, status in bad.items():
        web.answer(*graph_page(page, PER_HOST), Answer(b"no", status))
    web.robots("h2.test", "User-agent: *\nDisallow: /p8")
    async with web:
        _, live = await walked(web, tmp_path / "walk.db")
    assert live is not None
    numbers = set(graph_numbers(tmp_path / "walk.db", live))
    assert numbers.isdisjoint({*bad, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89})
    assert len(numbers) > 50
    assert (live.retried, live.lost) == (1, 1)
    assert not any(path.startswith("/p8") for host, path in web.fetches() if host == "h2.test")


@dataclass
class FailsAtFirst:
    """Answers with an error for the first `failures` times, and then as it should."""

    handler: Handler
    failures: int

    async def __call__(self, exchange: Exchange) -> None:
        self.failures -= 1
        await (Answer(b"oh", 503) if self.failures >= 0 else self.handler)(exchange)


async def test_the_walk_waits_for_pages_that_fail_at_first(tmp_path: Path) -> None:
    web = web_from_graph(*random_graph(3, PAGES), PAGES, PER_HOST)
    async with web:
        _, undisturbed = await walked(web, tmp_path / "well.db")
        for page in (4, 40, 70):
            host, path = graph_page(page, PER_HOST)
            web.answer(host, path, FailsAtFirst(web.handler(host, path), 2))
        _, live = await walked(web, tmp_path / "walk.db")
    assert undisturbed is not None
    assert live is not None
    assert (undisturbed.retried, live.retried, live.lost) == (0, 3, 0)
    assert graph_numbers(tmp_path / "walk.db", live) == graph_numbers(tmp_path / "well.db", undisturbed)
    assert {4, 40, 70} <= set(graph_numbers(tmp_path / "walk.db", live))


async def test_a_page_that_fails_for_too_long_counts_as_one_without_links(tmp_path: Path) -> None:
    web = web_from_graph(*random_graph(3, PAGES), PAGES, PER_HOST)
    async with web:
        for page in (4, 40, 70):
            host, path = graph_page(page, PER_HOST)
            web.answer(host, path, FailsAtFirst(web.handler(host, path), 1))
        _, live = await walked(web, tmp_path / "walk.db", retry_seconds=3600, patience_seconds=60)
    assert live is not None
    assert (live.retried, live.lost) == (3, 3)
    assert set(graph_numbers(tmp_path / "walk.db", live)).isdisjoint({4, 40, 70})


async def test_private_networks_stay_closed_to_walks(tmp_path: Path) -> None:
    web = web_from_graph(*random_graph(3, PAGES), PAGES, PER_HOST)
    async with web:
        _, live = await walked(web, tmp_path / "walk.db", networks=())
    assert not web.log
    assert live is not None
    assert not len(live.sample.pages)


async def test_a_walk_that_cannot_begin_is_over(tmp_path: Path) -> None:
    web = web_from_graph(*random_graph(3, PAGES), PAGES, PER_HOST)
    async with web:
        crawled, live = await walked(web, tmp_path / "walk.db", excluded=["/p0$"])
    assert (crawled.reason, live) == (EndReason.STOPPED, None)
    assert not web.log
