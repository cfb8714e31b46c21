"""kill -9 at random moments: what is in the store stays true, and the next start goes on from there."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.crawl_process import ROOT, CrawlOrder, CrawlProcess
from tests.support.crawling import is_sound, links, rows, states, wait_until
from tests.support.levels import rounds
from tests.support.web import Exchange, LoopbackWeb, Request, WebProcess, gaps, web_process
from tests.support.web_behaviours import nested_divs, slow_first_byte

pytestmark = pytest.mark.slow

KILLS = rounds(3, 12)
PAGES = 50 * KILLS
MAX_IN_FLIGHT = 8


@dataclass(frozen=True, slots=True)
class Life:
    """From one start of the crawler to its end, seconds of time.monotonic()."""

    started: float
    ended: float

    def has(self, request: Request) -> bool:
        return self.started <= request.started <= self.ended


@contextmanager
def running(order: CrawlOrder) -> Iterator[CrawlProcess]:
    """A crawl, killed at the end of the block if it has not ended by itself."""
    with order.start() as process:
        try:
            yield process
        finally:
            process.kill()


def requests_seen(web: WebProcess) -> int:
    with web.log_path.open("rb") as log:
        return sum(1 for _ in log)


def live_until(order: CrawlOrder, web: WebProcess, requests: int, moment: float) -> Life:
    """Let the crawler live for `requests` more requests and `moment` seconds, if it does not end before."""
    enough = requests_seen(web) + requests
    started = time.monotonic()
    with running(order) as process:
        while process.poll() is None and (requests_seen(web) < enough or not requests):
            if not requests and time.monotonic() - started > moment:
                break  # it dies while it is still starting
            time.sleep(0.002)
        time.sleep(moment if requests else 0)
    return Life(started, time.monotonic())


def live_on(order: CrawlOrder) -> str:
    """Let the crawler come to its end; the reason it gives."""
    with order.start() as process:
        return process.reason()


def processes_of(group: str) -> list[str]:
    """Command lines of all processes whose environment says that they belong to `group`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if group.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            pass  # it has ended, or is somebody else's
    return found


def test_a_crawl_killed_again_and_again_ends_with_what_an_undisturbed_one_has(tmp_path: Path) -> None:
    choose = random.Random(KILLS)
    changes: dict[str, dict[str, Any]] = {
        "fetching": {"max_in_flight": MAX_IN_FLIGHT},
        "storage": {"commit_seconds": 0.02},
        "politeness": {"delay_seconds": 0.005},
    }
    with web_process(tmp_path / "log", graph_seed=1, hosts=12, pages=PAGES, latency_ms=3) as web:
        seeds = [f"http://h{host}.test:{web.port}/p{host * web.pages_per_host}" for host in range(web.hosts)]
        undisturbed = CrawlOrder(web.addresses, seeds, str(tmp_path / "undisturbed.db"), changes)
        assert live_on(undisturbed) == "exhausted"
        store = tmp_path / "killed.db"
        order = CrawlOrder(web.addresses, seeds, str(store), changes)
        lives = []
        for kill in range(KILLS):
            # One life in five ends before the crawl is under way.
            requests = 0 if kill % 5 == 2 else choose.randrange(1, round(1.8 * PAGES / KILLS))
            moment = choose.uniform(0.0, 0.5 if not requests else 0.03)
            lives.append(live_until(order, web, requests, moment))
            assert is_sound(store)
        began_last = time.monotonic()
        assert live_on(order) in ("exhausted", "nothing-fetched")
        lives.append(Life(began_last, time.monotonic()))
    requests_made = [request for request in web.requests() if request.path != "/robots.txt"]

    assert states(store) == states(tmp_path / "undisturbed.db")
    assert links(store) == links(tmp_path / "undisturbed.db")
    assert set(states(store).values()) == {"fetched"}
    assert len(states(store)) == PAGES
    last_life: dict[str, int] = {}
    lost = Counter[int]()
    for number, life in enumerate(lives):
        in_life = Counter(request.path for request in requests_made if life.has(request))
        assert set(in_life.values()) <= {1}, "no page is fetched twice in one life"
        lost.update(last_life[path] for path in in_life if path in last_life)
        last_life |= dict.fromkeys(in_life, number)
    assert max(lost.values(), default=0) <= MAX_IN_FLIGHT, "only what was in flight at a kill is ever fetched again"
    visits = [number for (number,) in rows(store, "SELECT visit FROM fetch ORDER BY visit")]
    assert len(set(visits)) == PAGES


async def test_after_a_kill_no_host_is_visited_before_it_has_rested(tmp_path: Path) -> None:
    # Longer than a restart takes, so that without a rest the hosts would be visited too early.
    rest = 2.0
    in_flight_at_the_kill = [f"slow{n}.test" for n in range(4)]
    answered = [f"quick{n}.test" for n in range(8)]
    async with LoopbackWeb() as web:
        for host in (*answered, *in_flight_at_the_kill):
            web.page(host, "/", links=["/next"])
            web.page(host, "/next")
        for host in in_flight_at_the_kill:
            web.answer(host, "/robots.txt", slow_first_byte(60.0, not_here))
        web.redirect("moved.test", "/robots.txt", ("quick0.test", "/elsewhere.txt"))
        web.page("moved.test", "/")
        seeds = [web.url(host) for host in web.addresses]
        politeness = {"delay_seconds": rest}
        store = tmp_path / "store.db"
        order = CrawlOrder(web.addresses, seeds, str(store), {"politeness": politeness})
        with running(order) as process:
            await wait_until(lambda: len(web.log) == len(seeds), pause=0.005)
            await wait_until(lambda: hosts_that_rest(store) == len(seeds) - len(in_flight_at_the_kill), pause=0.005)
            process.kill()
            killed_at = time.monotonic()
        for host in in_flight_at_the_kill:
            web.robots(host, "")
        with running(order):
            await wait_until(
                lambda: len({each.host for each in web.log if each.started > killed_at}) == len(seeds),
                pause=0.01,
            )
    for host in web.addresses:
        requests = [request for request in web.log if request.host == host]
        assert min(gaps(requests)) >= rest, host


def hosts_that_rest(store: Path) -> int:
    """How many hosts have answered, as the store knows."""
    return int(rows(store, "SELECT count(*) FROM host WHERE next_fetch > 0")[0][0])


async def not_here(exchange: Exchange) -> None:
    exchange.close()


@pytest.mark.parametrize("state", ["idle", "busy"])
async def test_parser_processes_end_with_a_crawl_that_is_killed(state: str, tmp_path: Path) -> None:
    group = f"HINTERLAND_TEST_GROUP={tmp_path}"
    async with LoopbackWeb() as web:
        web.page("a.test", "/", links=["/next"])
        web.answer("a.test", "/next", slow_first_byte(60.0, not_here))
        if state == "busy":
            web.answer("b.test", "/", nested_divs(300_000))  # parsing it takes a minute or more
        seeds = [web.url(host) for host in web.addresses]
        order = CrawlOrder(web.addresses, seeds, str(tmp_path / "store.db"))
        process = await asyncio.create_subprocess_exec(
            *order.command(),
            cwd=ROOT,
            stdout=asyncio.subprocess.DEVNULL,
            env={**os.environ, "HINTERLAND_TEST_GROUP": str(tmp_path)},
        )
        await wait_until(lambda: web.requests("a.test", "/next"), pause=0.01)
        if state == "busy":
            await wait_until(lambda: len(web.requests("b.test", "/")) > 0 and len(processes_of(group)) > 3, pause=0.01)
        assert len(processes_of(group)) >= 3  # the crawl, the fork server and a parser
        process.kill()
        await process.wait()
        await wait_until(lambda: not processes_of(group), pause=0.01)
