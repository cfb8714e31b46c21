"""FindGlobalPR, live: crawls with a hinterland on a small web, and the estimates they leave."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.crawl_signs import crawl_signs
from hinterland.analysis.estimates.estimate_error import EstimateHistory, PastEstimate
from hinterland.analysis.estimates.estimators import ESTIMATORS, MODEL_TOLERANCE, CrawledGraphEstimator
from hinterland.analysis.estimates.outside_model import outside_model
from hinterland.analysis.graph import FloatArray
from hinterland.analysis.link_log import LinkLog
from hinterland.analysis.rank_codec import unpacked
from hinterland.crawler.features.outside.statistics import HinterlandStatistics
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.policies import POLICIES
from tests.support.crawl_process import CrawlOrder
from tests.support.crawling import Crawled, crawl, fetched, is_sound, rows, wait_until
from tests.support.web import Answer, Exchange, Handler, LoopbackWeb
from tests.support.web_behaviours import drop, first_times, status

pytestmark = pytest.mark.slow

LOCAL = "local.test"
OUTSIDE = [f"out{number}.test" for number in range(5)]
TOLERANCE = 2 * MODEL_TOLERANCE  # each of both estimates is within that of the exact one


def some_web(web: LoopbackWeb, *, local: int = 24, outside: int = 30, seed: int = 0) -> str:
    """A local host and some around it, all linked at random; returns the seed."""
    choose = random.Random(seed)
    ours = [(LOCAL, f"/{number}") for number in range(local)]
    pages = [*ours, *((host, f"/{number}") for host in OUTSIDE for number in range(outside))]
    for host, path in pages:
        own = [page for page in pages if page[0] == host]
        links = [*choose.sample(own, 3), *choose.sample(pages, 3), choose.choice(ours)]
        web.page(host, path, links=[*dict.fromkeys(links)] if choose.random() < 0.9 else [])
    return web.page(LOCAL, "/", links=ours)


def graph_of(store: Path, up_to_visit: float = np.inf) -> CrawledGraph:
    """What a store says of the web, read without any of the crawler's code."""
    log, numbers = LinkLog(), rows(store, "SELECT is_local, host FROM page ORDER BY id")
    crawled = "SELECT page FROM fetch WHERE visit <= ? AND outcome IN ('fetched', 'redirected') ORDER BY visit"
    for (page,) in rows(store, crawled, min(up_to_visit, 10**9)):
        targets = rows(store, "SELECT DISTINCT target FROM link WHERE source = ?", page)
        log.append(page, np.array([target for (target,) in targets], np.int32))
    is_local, hosts = np.array(numbers, np.int32).reshape(-1, 2).T
    return log.snapshot(is_local.astype(np.bool_), hosts)


def assert_estimate_is_the_offline_one(store: Path) -> None:
    graph = graph_of(store)
    for name, make in ESTIMATORS.items():
        stored = rows(store, "SELECT page, pagerank FROM rank WHERE estimator = ? ORDER BY page", name)
        pages, ranks = np.array(stored).T
        assert np.array_equal(pages, graph.local)
        assert np.abs(ranks - make().estimate(graph)).sum() < TOLERANCE, name


def outside_fetched(store: Path) -> int:
    return _fetched(store, is_local=0)


def local_fetched(store: Path) -> int:
    return _fetched(store, is_local=1)


def _fetched(store: Path, is_local: int) -> int:
    sql = "SELECT count(*) FROM fetch JOIN page ON id = page WHERE outcome = 'fetched' AND is_local = ?"
    return int(rows(store, sql, is_local)[0][0])


def fetched_outside(running: Any) -> int:
    """How many pages outside a crawl has fetched so far."""
    found = running.statistics().of(HinterlandStatistics)
    assert found is not None
    return int(found.pages_fetched)


async def crawled(web: LoopbackWeb, seed: str | None, store: Path, hinterland: dict[str, Any], **more: Any) -> Crawled:
    return await crawl(web.addresses, [seed] if seed else [], store, hinterland=hinterland, **more)


# --- the estimate -------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
async def test_the_live_estimate_is_that_of_the_finished_store(policy: str, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        seed = some_web(web)
        done = await crawled(web, seed, store, {"budget": "1.0", "refresh_pages": 5}, policy={"name": policy})
    assert done.reason is EndReason.EXHAUSTED
    assert (local_fetched(store), outside_fetched(store)) == (25, 25)
    hinterland = done.statistics.of(HinterlandStatistics)
    assert hinterland is not None
    assert hinterland.pages_fetched == 25
    assert_estimate_is_the_offline_one(store)
    history = rows(store, "SELECT local_pages, outside_pages FROM estimate ORDER BY id")
    assert history[0] == (25, 0)
    assert history[-1] == (25, 25)
    assert len(history) >= 5


async def test_every_estimate_of_the_history_is_that_of_the_visits_before_it(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        await crawled(web, some_web(web), store, {"budget": "40", "refresh_pages": 8, "estimator": "crawled-graph"})
    last = None
    history = rows(store, "SELECT visit, estimator, change, ranks FROM estimate ORDER BY id")
    for visit, estimator, change, blob in history:
        graph = graph_of(store, visit)
        expected = ESTIMATORS[estimator]().estimate(graph)
        pages, ranks = unpacked(blob)
        assert np.array_equal(pages, graph.local)
        assert np.abs(ranks - expected).sum() < 1e-6  # kept as float32
        by_page = np.zeros(graph.page_count)
        by_page[graph.local] = expected
        assert change == pytest.approx(np.abs(by_page - last).sum(), abs=1e-6) if last is not None else change is None
        last = by_page


async def test_the_estimators_disagreement_is_the_distance_of_the_farthest(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        await crawled(web, some_web(web), store, {"budget": "10", "refresh_pages": 10})
    name, told = rows(store, "SELECT estimator, disagreement FROM estimate ORDER BY id DESC LIMIT 1")[0]
    graph = graph_of(store)
    estimates = {each: make().estimate(graph) for each, make in ESTIMATORS.items()}
    distances = [np.abs(each - estimates[name]).sum() for other, each in estimates.items() if other != name]
    assert told == (pytest.approx(max(distances), abs=TOLERANCE) if distances else None)


async def test_it_ends_when_the_estimate_changes_no_more(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        done = await crawled(web, some_web(web), store, {"budget": "100", "refresh_pages": 3, "until_change": 2.0})
    assert done.reason is EndReason.SETTLED
    assert 4 <= outside_fetched(store) < 100
    assert_estimate_is_the_offline_one(store)


async def test_the_predicted_error_is_the_one_that_the_stored_history_gives(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        await crawled(web, some_web(web), store, {"budget": "20", "refresh_pages": 5})
        await crawled(web, None, store, {"budget": "40", "refresh_pages": 5})
    history = rows(store, "SELECT outside_pages, ranks, error, error_at_most FROM estimate ORDER BY id")
    past = [PastEstimate(outside, *unpacked(blob)) for outside, blob, _, _ in history]
    graph = graph_of(store)
    signs = crawl_signs(graph, outside_model(graph, tolerance=MODEL_TOLERANCE).ranks)
    error = EstimateHistory(past[:-1]).error(*past[-1], signs)
    assert error is not None
    assert history[-1][2:] == pytest.approx((error.l1, error.at_most), abs=1e-5)
    columns = "spread, highest_place, lowest_place, place"
    kept = rows(store, f"SELECT {columns} FROM rank WHERE estimator = 'outside-model' ORDER BY page")
    assert [spread for spread, *_ in kept] == pytest.approx(error.spreads.tolist(), rel=1e-4)
    assert all(highest <= place <= lowest for _, highest, lowest, place in kept)


async def test_it_ends_when_the_estimate_is_probably_near_enough_and_fetches_nothing_more_when_it_is_resumed(
    tmp_path: Path,
) -> None:
    store, settings = tmp_path / "store.db", {"budget": "100", "refresh_pages": 5, "until_error": 1.0}
    async with LoopbackWeb() as web:
        assert (await crawled(web, some_web(web), store, settings)).reason is EndReason.SETTLED
        late = "SELECT error_at_most FROM estimate WHERE outside_pages >= local_pages ORDER BY id"
        bounds = [bound for (bound,) in rows(store, late)]
        first = next(place for place, bound in enumerate(bounds) if bound <= 1.0)
        assert first >= len(bounds) - 2  # what was under way then went into one more
        fetched_then = outside_fetched(store)
        assert 0 < fetched_then < 100
        assert (await crawled(web, None, store, settings)).reason is EndReason.SETTLED
        assert outside_fetched(store) == fetched_then


async def test_a_crawl_that_had_settled_fetches_nothing_more_when_it_is_resumed(tmp_path: Path) -> None:
    store, settings = tmp_path / "store.db", {"budget": "100", "refresh_pages": 5, "until_change": 2.0}
    async with LoopbackWeb() as web:
        await crawled(web, some_web(web), store, settings)
        before = outside_fetched(store)
        assert (await crawled(web, None, store, settings)).reason is EndReason.SETTLED
        assert outside_fetched(store) == before
        done = await crawled(web, None, store, settings | {"until_change": 0.0})
    assert done.reason is EndReason.EXHAUSTED
    assert outside_fetched(store) == 100


# --- what is fetched ----------------------------------------------------------------------------


async def test_without_a_hinterland_nothing_outside_is_fetched_and_nothing_is_estimated(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        done = await crawled(web, some_web(web), store, {})
        assert {request.host for request in web.log} == {LOCAL}
    assert done.statistics.of(HinterlandStatistics) is None
    assert rows(store, "SELECT count(*) FROM estimate") == [(0,)]


async def test_the_domain_is_crawled_first_and_in_the_same_order(tmp_path: Path) -> None:
    order: dict[str, list[str]] = {}
    for budget in ("0", "20"):
        async with LoopbackWeb() as web:
            seed = some_web(web)
            await crawled(web, seed, tmp_path / f"{budget}.db", {"budget": budget}, fetching={"max_in_flight": 1})
            order[budget] = [request.path for request in web.log if request.host == LOCAL]
            first_outside = min((r.started for r in web.log if r.host != LOCAL), default=np.inf)
            assert all(request.finished <= first_outside for request in web.log if request.host == LOCAL)
    assert order["0"] == order["20"]


async def test_hosts_outside_are_treated_as_politely_as_any(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = some_web(web, local=5)
        web.robots("out0.test", "User-agent: *\nDisallow: /")
        await crawled(web, seed, tmp_path / "store.db", {"budget": "40"}, politeness={"delay_seconds": 0.02})
        assert web.overlaps() == []
        for host in OUTSIDE:
            requests = [request for request in web.log if request.host == host]
            assert [request.path for request in requests][:1] in ([], ["/robots.txt"])
            assert host != "out0.test" or len(requests) <= 1
    refused = rows(tmp_path / "store.db", "SELECT count(*) FROM pages WHERE outcome = 'robots' AND host LIKE '%out0%'")
    assert refused[0][0] > 0


async def test_pages_that_only_links_with_nofollow_lead_to_are_never_fetched(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        here, there = web.page("out0.test", "/here"), web.page("out0.test", "/there")
        hidden = web.page("out0.test", "/hidden", links=["/beyond"])
        web.page("out0.test", "/beyond")
        followed = f'<a href="{here}">1</a><a rel=nofollow href="{hidden}">2</a><a rel=nofollow href="{there}">3</a>'
        seed = web.page(LOCAL, "/", html=f'{followed}<a href="/next">4</a>')
        web.page(LOCAL, "/next", html=f'<a href="{there}">5</a>')
        done = await crawled(web, seed, store, {"budget": "100"})
        assert fetched(store) == {seed, web.url(LOCAL, "/next"), here, there}
        done = await crawled(web, None, store, {"budget": "200"})  # and not by the next run either
    assert done.state(hidden) == "known"


async def test_pages_that_a_pattern_excludes_are_never_fetched(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        for path in ("/a", "/private/b"):
            web.page("out0.test", path)
        seed = web.page(LOCAL, "/", links=[("out0.test", "/a"), ("out0.test", "/private/b")])
        for _ in range(2):
            await crawled(web, seed, store, {"budget": "100"}, scope={"exclude": ("/private/",)})
            assert fetched(store) == {seed, web.url("out0.test", "/a")}


async def test_the_target_of_a_redirect_outside_takes_the_place_of_its_source(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        web.redirect("out0.test", "/moved", ("out1.test", "/here"))
        here = web.page("out1.test", "/here", links=["/more"])
        more = web.page("out1.test", "/more")
        seed = web.page(LOCAL, "/", links=[("out0.test", "/moved")])
        await crawled(web, seed, store, {"budget": "1"})
        assert fetched(store) == {seed, here}
        assert_estimate_is_the_offline_one(store)
    assert rows(store, "SELECT is_local FROM page WHERE url IN (?, ?)", here, more) == [(0,), (0,)]


async def test_a_local_page_that_only_the_web_outside_links_to_is_local(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        island = web.page(LOCAL, "/island", links=[("out0.test", "/last")])
        web.page("out0.test", "/", links=[(LOCAL, "/island")])
        last = web.page("out0.test", "/last")
        seed = web.page(LOCAL, "/", links=[("out0.test", "/")])
        await crawled(web, seed, store, {"budget": "1.0"})
        assert fetched(store) == {seed, web.url("out0.test"), island, last}
    assert rows(store, "SELECT is_local FROM page WHERE url = ?", island) == [(1,)]
    assert (local_fetched(store), outside_fetched(store)) == (2, 2)


async def test_addresses_that_are_closed_stay_closed_and_take_no_place_in_the_budget(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        web.page("out0.test", "/")
        closed = "http://inside.test/"
        seed = web.page(LOCAL, "/", html=f'<a href="{closed}">1</a><a href="{web.url("out0.test")}">2</a>')
        addresses = {**web.addresses, "inside.test": "10.0.0.1"}
        done = await crawl(addresses, [seed], store, hinterland={"budget": "1", "refresh_pages": 1})
        assert (done.state(closed), done.outcome(closed)) == ("waiting", None)
        assert rows(store, "SELECT is_given_up FROM host WHERE url = 'http://inside.test'") == [(1,)]
        assert done.outcome(web.url("out0.test")) == "fetched"


async def test_pages_of_hosts_that_fail_do_not_hold_up_the_rounds(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        seed = some_web(web, local=10)
        for number in range(5):
            web.page(LOCAL, f"/{number}", links=[(f"dead{number}.test", f"/{n}") for n in range(4)])
        addresses = {**web.addresses, **{f"dead{number}.test": "127.0.0.77" for number in range(5)}}
        done = await crawl(addresses, [seed], store, hinterland={"budget": "30", "refresh_pages": 6})
    assert done.reason is EndReason.EXHAUSTED, "hosts outside that are given up are not missed"
    assert outside_fetched(store) == 30
    assert_estimate_is_the_offline_one(store)


def _web_with_a_sick_host(web: LoopbackWeb, sick: Handler, good: int) -> str:
    """One page links to a host whose robots.txt is answered by `sick`, and to good hosts; returns the seed."""
    web.answer("sick.test", "/robots.txt", sick)
    web.page("sick.test", "/")
    hosts = ["sick.test", *(f"good{number}.test" for number in range(good))]
    for host in hosts[1:]:
        web.page(host, "/")
    return web.page(LOCAL, "/", links=[(host, "/") for host in hosts])


_SLOW_TO_TRY_AGAIN = {"politeness": {"backoff_seconds": 600.0, "max_backoff_seconds": 600.0}}


@pytest.mark.parametrize("budget", [4, 5, 6])
async def test_a_host_that_never_answers_takes_no_place_and_does_not_hold_up_the_end(
    budget: int, tmp_path: Path
) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        seed = _web_with_a_sick_host(web, drop, good=6)
        async with asyncio.timeout(60):
            settings = {"budget": str(budget), "refresh_pages": 3}
            done = await crawled(web, seed, store, settings, **_SLOW_TO_TRY_AGAIN)
    assert done.reason is EndReason.EXHAUSTED
    assert outside_fetched(store) == budget
    assert_estimate_is_the_offline_one(store)


async def test_local_pages_at_hosts_that_fail_are_waited_for_when_the_budget_is_used_up(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        seed = _web_with_a_sick_host(web, drop, good=2)
        web.answer("second.test", "/robots.txt", first_times(6, status(503), Answer(b"", status=404)))
        second = web.page("second.test", "/")
        settings = {"budget": "2", "refresh_pages": 1}
        done = await crawl(web.addresses, [seed, second], store, hinterland=settings)
    assert done.state(second) == "fetched"
    assert outside_fetched(store) == 2


async def test_a_page_whose_place_was_taken_while_its_host_failed_is_fetched_with_a_larger_budget(
    tmp_path: Path,
) -> None:
    store, may_answer = tmp_path / "store.db", asyncio.Event()

    async def late(exchange: Exchange) -> None:
        if may_answer.is_set():
            await Answer(b"", status=404)(exchange)
        else:
            await status(503)(exchange)

    async with LoopbackWeb() as web:
        seed = _web_with_a_sick_host(web, late, good=3)
        sick, settings = web.url("sick.test", "/"), {"budget": "3", "refresh_pages": 2}
        patient = {"politeness": {"give_up_after_failures": 1000, "give_up_unheard_after_failures": 1000}}
        first = await crawled(web, seed, store, settings, **patient)
        assert (first.state(sick), outside_fetched(store)) == ("waiting", 3)
        may_answer.set()
        second = await crawled(web, None, store, settings | {"budget": "4"})
    assert (second.state(sick), outside_fetched(store)) == ("fetched", 4)


async def test_with_a_share_the_domain_and_the_web_around_it_are_fetched_side_by_side(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        seed = some_web(web, local=60)
        settings = {"budget": "1.0", "share": 0.25, "refresh_pages": 5}
        policy = {"name": "indegree", "refresh_pages": 10}
        await crawled(web, seed, store, settings, fetching={"max_in_flight": 1}, policy=policy)
    kinds = rows(store, "SELECT is_local FROM page JOIN fetch ON id = page WHERE outcome = 'fetched' ORDER BY visit")
    order = [is_local for (is_local,) in kinds]
    last_local = len(order) - order[::-1].index(1)
    for done in range(1, last_local + 1):
        assert done - sum(order[:done]) <= 0.25 * done + 1, "more than their share"
    # How soon they come depends on how soon the first round is over; then they catch up.
    assert last_local - sum(order[:last_local]) >= 0.1 * last_local
    assert (local_fetched(store), outside_fetched(store)) == (61, 61)
    assert_estimate_is_the_offline_one(store)


# --- going on -----------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
async def test_a_crawl_that_is_done_can_be_given_a_hinterland_and_then_a_larger_one(
    policy: str, tmp_path: Path
) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        seed = some_web(web)
        assert (await crawled(web, seed, store, {})).reason is EndReason.EXHAUSTED
        for budget in (10, 30):
            await crawled(web, None, store, {"budget": str(budget), "refresh_pages": 4}, policy={"name": policy})
            assert outside_fetched(store) == budget
            assert_estimate_is_the_offline_one(store)
        paths = [(request.host, request.path) for request in web.log if request.path != "/robots.txt"]
        assert len(paths) == len(set(paths)), "no page was fetched twice"


async def test_after_a_stop_in_the_hinterland_the_budget_holds(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        seed = some_web(web)

        async def stop(running: Any) -> None:
            await wait_until(lambda: fetched_outside(running) >= 5)
            running.stop()

        settings = {"budget": "20", "refresh_pages": 10}
        stopped = await crawled(web, seed, store, settings, watch=stop)
        assert stopped.reason is EndReason.STOPPED
        assert_estimate_is_the_offline_one(store)
        assert (await crawled(web, None, store, settings)).reason is EndReason.EXHAUSTED
        assert outside_fetched(store) == 20
        assert_estimate_is_the_offline_one(store)


async def test_a_stop_while_an_estimate_is_computed_loses_neither_it_nor_the_last_one(tmp_path: Path) -> None:
    store, begun, go_on = tmp_path / "store.db", threading.Event(), threading.Event()

    class Held(CrawledGraphEstimator):
        def estimate(self, crawled: CrawledGraph) -> FloatArray:
            if len(crawled.order) > 30:  # in the hinterland, not in the warm-up before the crawl
                begun.set()
                assert go_on.wait(60)
            return super().estimate(crawled)

    async def stop(running: Any) -> None:
        await wait_until(begun.is_set)
        running.stop()
        await wait_until(lambda: running.statistics().frontier.in_flight == 0)
        go_on.set()

    async with LoopbackWeb() as web:
        seed = some_web(web)
        with patch.dict(ESTIMATORS, {"crawled-graph": Held}):
            settings = {"budget": "30", "refresh_pages": 10, "estimator": "crawled-graph"}
            stopped = await crawled(web, seed, store, settings, watch=stop)
    assert stopped.reason is EndReason.STOPPED
    assert_estimate_is_the_offline_one(store)
    done = [local + outside for local, outside in rows(store, "SELECT local_pages, outside_pages FROM estimate")]
    assert done == sorted(done)
    assert done[-1] == local_fetched(store) + outside_fetched(store)


async def test_pages_that_wait_outside_go_on_waiting_as_far_as_a_smaller_budget_lets_them(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        seed = some_web(web)

        async def stop(running: Any) -> None:
            await wait_until(lambda: fetched_outside(running) >= 2)
            running.stop()

        settings = {"fetching": {"max_in_flight": 1}}
        await crawled(web, seed, store, {"budget": "20", "refresh_pages": 20}, watch=stop, **settings)
        assert rows(store, "SELECT count(*) FROM page WHERE state = 'waiting' AND NOT is_local")[0][0] > 10
        await crawled(web, None, store, {"budget": "6"}, **settings)
        assert outside_fetched(store) == 6
        await crawled(web, None, store, {"budget": "0"}, **settings)
        assert outside_fetched(store) == 6


@pytest.mark.parametrize("share", [0.0, 0.4])
async def test_a_crawl_killed_in_its_hinterland_goes_on_with_the_same_budget(share: float, tmp_path: Path) -> None:
    store, in_flight = tmp_path / "store.db", 4
    async with LoopbackWeb(latency=0.005) as web:
        seed = some_web(web)
        order = CrawlOrder(
            web.addresses,
            [seed],
            str(store),
            {
                "hinterland": {"budget": "1.0", "refresh_pages": 4, "share": share},
                "fetching": {"max_in_flight": in_flight},
                "policy": {"name": "indegree"},
            },
        )
        seen: list[int] = []
        for enough in (3, 9, 15):
            await _killed_after(order, enough)
            assert is_sound(store)
            seen.append(_outside(store))
        with order.start() as process:
            done = await asyncio.to_thread(process.reason)
        requests = [(request.host, request.path) for request in web.log if request.path != "/robots.txt"]
    assert seen == sorted(seen)
    assert 3 <= seen[0] < 25
    assert done == "exhausted"
    assert (local_fetched(store), outside_fetched(store)) == (25, 25)
    assert len(requests) - len(set(requests)) <= 3 * in_flight
    assert_estimate_is_the_offline_one(store)


async def _killed_after(order: CrawlOrder, enough: int) -> None:
    """Let a crawl live until it has fetched `enough` outside pages."""
    store = Path(order.store)
    with order.start() as process:
        await wait_until(lambda: process.poll() is not None or _outside(store) >= enough, pause=0.005)
        process.kill()


def _outside(store: Path) -> int:
    try:
        return outside_fetched(store)
    except sqlite3.OperationalError:
        return 0  # its tables are being made


async def test_a_budget_for_all_pages_ends_the_hinterland_too(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        done = await crawled(web, some_web(web), store, {"budget": "50", "refresh_pages": 5}, max_pages=35)
    assert done.reason is EndReason.MAX_PAGES
    assert (local_fetched(store), outside_fetched(store)) == (25, 10)
    assert_estimate_is_the_offline_one(store)


async def test_pages_fetched_outside_become_local_when_a_later_seed_says_so(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        web.page("out0.test", "/a", links=["/b", ("out1.test", "/")])
        web.page("out0.test", "/b")
        web.page("out1.test", "/")
        seed = web.page(LOCAL, "/", links=[("out0.test", "/a")])
        await crawled(web, seed, store, {"budget": "1"})
        assert (local_fetched(store), outside_fetched(store)) == (1, 1)
        done = await crawled(web, web.url("out0.test", "/b"), store, {"budget": "1"})
        assert len(web.requests("out0.test", "/a")) == 1
    assert (local_fetched(store), outside_fetched(store)) == (3, 1)
    hinterland = done.statistics.of(HinterlandStatistics)
    assert hinterland is not None
    assert hinterland.pages_fetched == 1
    assert_estimate_is_the_offline_one(store)


async def test_what_a_kill_left_undone_of_the_last_estimate_is_made_up_for(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        await crawled(web, some_web(web), store, {"budget": "20", "refresh_pages": 5})
        estimates = rows(store, "SELECT visit, change FROM estimate")
        with closing(sqlite3.connect(store)) as connection, connection:
            connection.execute("DELETE FROM rank")
        await crawled(web, None, store, {"budget": "20", "refresh_pages": 5})
        assert_estimate_is_the_offline_one(store)
        assert rows(store, "SELECT visit, change FROM estimate") == estimates
        with closing(sqlite3.connect(store)) as connection, connection:
            connection.execute("DELETE FROM estimate WHERE id = (SELECT max(id) FROM estimate)")
        await crawled(web, None, store, {"budget": "20", "refresh_pages": 5})
    assert rows(store, "SELECT visit FROM estimate") == [(visit,) for visit, _ in estimates]
