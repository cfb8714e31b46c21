"""The robots rules of many hosts, within a budget of memory; what left it is read from the store."""

from __future__ import annotations

import asyncio
import tracemalloc

import pytest

from hinterland.crawler.fetching.robots.robots_cache import RobotsCache, RobotsCacheLimits
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.loop.robots_reading import rules_of_host

FORBIDS_PRIVATE = b"User-agent: *\nDisallow: /private\n"
FORBIDS_US = b"User-agent: Hinterland\nDisallow: /\n\nUser-agent: *\nDisallow: /private\n"
NAMES = 10_000


class Store:
    """The texts that were written, by host."""

    def __init__(self) -> None:
        self.texts: dict[int, bytes | None] = {}
        self.reads = 0

    async def read(self, host: int) -> bytes | None:
        self.reads += 1
        await asyncio.sleep(0)
        return self.texts[host]


def cache(bounds: RobotsCacheLimits | None = None, store: Store | None = None) -> RobotsCache:
    return RobotsCache("Hinterland", bounds or RobotsCacheLimits(), read=(store or Store()).read)


def rules(robots: RobotsCache, host: int) -> RobotsRules:
    found = robots.rules_at_hand(host)
    assert found is not None
    return found


def test_each_host_has_its_own_rules() -> None:
    robots = cache()
    robots.remember(0, FORBIDS_PRIVATE)
    robots.remember(1, FORBIDS_US)
    assert [rules(robots, host).allows("/private") for host in (0, 1)] == [False, False]
    assert [rules(robots, host).allows("/page") for host in (0, 1)] == [True, False]


def test_a_host_without_a_file_allows_all() -> None:
    robots = cache()
    robots.remember(0, None)
    robots.remember(1, b"")
    assert all(rules(robots, host).allows("/private") for host in (0, 1, 2))


def test_a_new_file_replaces_the_old_one() -> None:
    robots = cache()
    robots.remember(0, FORBIDS_US)
    robots.written(0, FORBIDS_US)
    assert not rules(robots, 0).allows("/page")
    robots.remember(0, FORBIDS_PRIVATE)
    assert rules(robots, 0).allows("/page")
    robots.remember(0, None)
    assert rules(robots, 0).allows("/private")


def test_rules_are_parsed_once_and_those_used_last_stay_parsed() -> None:
    robots = cache(RobotsCacheLimits(texts=3))
    for host in range(5):
        robots.remember(host, FORBIDS_PRIVATE + b"Disallow: /%d" % host)
    first = [rules(robots, host) for host in range(3)]
    assert rules(robots, 0) is first[0]
    rules(robots, 3)  # puts out host 1, which was used before all others
    assert rules(robots, 0) is first[0]
    assert rules(robots, 2) is first[2]
    assert rules(robots, 1) is not first[1]
    assert rules(robots, 1) == first[1]


def test_hosts_with_the_same_file_share_its_rules() -> None:
    robots = cache()
    for host in range(2):
        robots.remember(host, bytes(bytearray(FORBIDS_PRIVATE)))
    assert rules(robots, 0) is rules(robots, 1)


# --- memory -------------------------------------------------------------------------------------


def written(robots: RobotsCache, store: Store, host: int, text: bytes) -> None:
    """A robots.txt has come, and is in the store."""
    robots.remember(host, text)
    store.texts[host] = text
    robots.written(host, text)


async def test_a_text_that_has_left_the_memory_is_read_from_the_store_when_its_host_has_its_turn() -> None:
    store = Store()
    robots = cache(RobotsCacheLimits(memory_bytes=4_000, texts=2), store)
    for host in range(50):
        written(robots, store, host, FORBIDS_PRIVATE + b"# %d" % host + b" " * 400)
    assert store.reads == 0
    assert robots.rules_at_hand(0) is None
    assert [(await rules_of_host(robots, host)).allows("/private") for host in range(50)] == [False] * 50
    assert store.reads == 50


async def test_what_is_not_written_yet_never_leaves() -> None:
    store = Store()
    robots = cache(RobotsCacheLimits(memory_bytes=1_000, texts=1), store)
    robots.remember(0, FORBIDS_US + b" " * 5_000)
    for host in range(1, 20):
        written(robots, store, host, FORBIDS_PRIVATE + b" " * 900)
    assert not (await rules_of_host(robots, 0)).allows("/page")
    assert store.reads == 0


async def test_a_file_that_comes_while_the_old_one_is_read_counts() -> None:
    store = Store()
    robots = cache(store=store)
    robots.is_stored(0)
    store.texts[0] = FORBIDS_US
    reading = asyncio.create_task(rules_of_host(robots, 0))
    await asyncio.sleep(0)
    robots.remember(0, FORBIDS_PRIVATE)
    await reading
    assert (await rules_of_host(robots, 0)).allows("/page")


async def test_hosts_of_an_earlier_run_are_read_when_they_are_visited() -> None:
    store = Store()
    robots = cache(store=store)
    for host in range(100):
        store.texts[host] = FORBIDS_PRIVATE
        robots.is_stored(host)
    assert (store.reads, robots.memory_bytes) == (0, 0)
    assert not (await rules_of_host(robots, 7)).allows("/private")
    assert not rules(robots, 7).allows("/private")
    assert store.reads == 1


KINDS = {
    "comments": b"# %d\n" + b"# nothing\n" * 300,
    "rules": b"User-agent: *\n# %d\n" + b"Disallow: /a\n" * 150,
    "wildcards": b"User-agent: *\n# %d\n" + b"Disallow: /*a*b$\n" * 120,
    "sitemaps": b"# %d\n" + b"Sitemap: /s.xml\n" * 150,
    "one-long-rule": b"User-agent: *\n# %d\nDisallow: /" + b"x" * 3_000,
    "crawl-delay": b"User-agent: *\n# %d\nCrawl-delay: 1\n" + b"\n" * 900,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
async def test_however_large_the_files_of_all_names_under_a_wildcard_are_they_are_bounded_together(kind: str) -> None:
    class Wildcard(Store):
        async def read(self, host: int) -> bytes:
            return KINDS[kind].replace(b"%d", b"%d" % host)

    hosts, store = 40, Wildcard()
    robots = cache(RobotsCacheLimits(memory_bytes=400_000), store)
    tracemalloc.start()
    for host in range(hosts):
        text = await store.read(host)
        robots.remember(host, text)
        await rules_of_host(robots, host)
        robots.written(host, text)
        assert robots.memory_bytes <= 400_000
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < 500_000


@pytest.mark.slow
async def test_ten_thousand_names_under_a_wildcard_take_the_budget_and_a_little_for_each() -> None:
    class Wildcard(Store):
        async def read(self, host: int) -> bytes:
            return b"User-agent: *\nDisallow: /private\nDisallow: /%d\n" % host + b"#" * 2_000

    store = Wildcard()
    robots = cache(RobotsCacheLimits(memory_bytes=4_000_000), store)
    tracemalloc.start()
    for host in range(NAMES):
        text = await store.read(host)
        robots.remember(host, text)
        robots.written(host, text)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < 4_000_000 + NAMES * 300  # of 20 MB
    for host in (0, 1, NAMES // 2, NAMES - 1):
        found = await rules_of_host(robots, host)
        assert not found.allows(f"/{host}")
        assert found.allows("/else")
