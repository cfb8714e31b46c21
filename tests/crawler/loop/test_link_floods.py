"""Pages with more links than any crawl can use: bounded, counted, and nobody else has to wait for them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from hinterland.crawler.fetching.answers import Answer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.pages import host_url_limit
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.decisions.visit_records import LinkNumbering, visit_record
from hinterland.crawler.parsing.html.page_bounds import MAX_LINKS
from hinterland.crawler.parsing.messages import PageDigest, RawPage
from hinterland.crawler.settings import ParsingSettings, ScopeSettings, Settings
from hinterland.storage.record_writer import RecordWriter, weight_of
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import DiscoveriesRecord, PageRecord, Record, RobotsRecord
from tests.crawler.frontier.pages.test_known_pages import SEED, found
from tests.crawler.parsing.test_page_bounds import REST, parse
from tests.storage.test_record_writer import Store, record
from tests.support.crawling import crawl, links, rows, states, wait_until
from tests.support.web import LoopbackWeb

# --- known URLs of a host -----------------------------------------------------------------------


def bounded(most: int, *seeds: str) -> KnownPages:
    known = KnownPages(Scope(ScopeSettings()), max_depth=None, max_urls_per_host=most)
    known.add_seeds(seeds or (SEED,), Discoveries())
    return known


@pytest.fixture
def two_urls_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_url_limit, "_URLS_PER_PAGE", 2)


@pytest.mark.usefixtures("two_urls_a_page")
def test_new_urls_of_a_host_beyond_its_bound_are_counted_and_not_kept() -> None:
    known = bounded(3)
    numbers, discoveries = found(known, "1", "https://b.example/1", "2", "3", "4", "", "https://b.example/2")
    assert numbers == [1, 2, 3, -1, -1, 0, 4]
    assert discoveries.urls_left_out == 2
    assert [page.url for page in discoveries.new_pages] == [
        SEED + "1",
        "https://b.example/1",
        SEED + "2",
        "https://b.example/2",
    ]
    assert len(known) == 5


@pytest.mark.usefixtures("two_urls_a_page")
def test_a_host_that_answers_pages_may_have_more_urls() -> None:
    known = bounded(3)
    assert found(known, "1", "2", "3")[0] == [1, 2, -1]
    assert found(known, "3", "4", source=1)[0] == [3, -1]
    assert found(known, "4", "5", "6", source=2)[0] == [4, 5, -1]


@pytest.mark.usefixtures("two_urls_a_page")
def test_what_was_fetched_before_a_restart_counts_for_the_bound() -> None:
    known = KnownPages(Scope(ScopeSettings()), max_depth=None, max_urls_per_host=1)
    known.restore_host("https://a.example", 2)
    known.add_seeds([SEED], Discoveries())
    assert found(known, *map(str, range(7)))[0] == [1, 2, 3, 4, 5, -1, -1]


def test_seeds_and_the_targets_of_redirects_are_kept_in_any_case() -> None:
    known = bounded(1, SEED, SEED + "two", SEED + "three")
    assert len(known) == 3
    assert known.add_redirect(SEED + "four", 0, 1, Discoveries()) == 3


def test_without_a_bound_every_url_is_kept() -> None:
    known = KnownPages(Scope(ScopeSettings()), max_depth=None)
    known.add_seeds([SEED], Discoveries())
    assert -1 not in found(known, *map(str, range(5000)))[0]


@pytest.mark.usefixtures("two_urls_a_page")
def test_links_to_urls_that_are_not_kept_are_left_out_of_the_record_and_counted() -> None:
    new = "".join(f"<a href=http://a.example/{n}>to {n}</a>" for n in range(4))
    page, _ = parse(f"{new}<a rel=nofollow href=/>h</a>")
    known = bounded(3, "http://a.example/")
    discoveries = Discoveries()
    outlinks = LinkNumbering(known, Settings()).of_page(0, "http://a.example/dir/page.html", page, discoveries)
    made = visit_record(
        visit=1, page=0, attempt=1, started_at=0.0, verdict=Verdict(OutcomeKind.FETCHED), answer=Answer(200, b"", 0.1),
        digest=None, parsed=page, outlinks=outlinks, discoveries=discoveries, host_state=REST,
    )  # fmt: skip
    assert made.links is not None
    assert (made.links.targets, made.links.anchors) == ([1, 2, 0], ["to 0", "to 1", "h"])
    assert (made.links.nofollow, len(made.links.kinds)) == (bytes([0, 0, 1]), 3)
    assert made.cut == {"urls": 2}


# --- records that wait to be written ------------------------------------------------------------


def pages(count: int) -> list[PageRecord]:
    return [PageRecord(n, f"http://a.example/{n}", 0, "waiting", 1, 1, 0, 0) for n in range(count)]


async def test_a_record_with_much_to_write_closes_its_batch() -> None:
    store = Store()
    large = DiscoveriesRecord([], pages(30_000))
    writer = RecordWriter(store.write, commit_seconds=60.0, max_batch=100)
    running = asyncio.create_task(writer.run())
    first = writer.submit(record(1), large)
    second = writer.submit(record(2), large)
    assert first is not second
    async with asyncio.timeout(10):
        await second
    assert first.done()
    writer.close()
    await running
    assert store.batches == [[record(1), large], [record(2), large]]


async def test_the_writer_is_full_until_enough_is_committed() -> None:
    store = Store()
    store.may_write.clear()
    large = DiscoveriesRecord([], pages(1000))
    writer = RecordWriter(store.write, commit_seconds=0.0, max_batch=100, max_queued_bytes=weight_of(large))
    running = asyncio.create_task(writer.run())
    writer.submit(large)
    before = writer.is_full
    last = writer.submit(record(1))
    assert (before, writer.is_full) == (False, True)
    store.may_write.set()
    await last
    await wait_until(lambda: not writer.is_full)
    writer.close()
    await running


def test_what_a_record_weighs_grows_with_what_there_is_to_write() -> None:
    small = DiscoveriesRecord([], pages(1))
    assert weight_of(DiscoveriesRecord([], pages(1000))) > 100 * weight_of(small)
    robots = RobotsRecord(0, 200, 0.0, 0.0, b"x" * 500_000, None, [])
    assert weight_of(robots) > 500_000
    assert weight_of(HostStateRecord(0, None, 0.0, 0.0, 0, 0, False)) < 1000


# --- whole crawls -------------------------------------------------------------------------------

MANY = 9001


def flood(web: LoopbackWeb) -> str:
    """A page with many links out of the domain, and one inside at either end."""
    outside = "".join(f"<a {'rel=nofollow' * (n % 2)} href='http://out.test/{n}'>{n}</a>" for n in range(MANY))
    web.page("a.test", "/first")
    web.page("a.test", "/last", links=["/first"])
    return web.page("a.test", "/", html=f"<a href=/first>x</a>{outside}<a href=/last>y</a><a href=/first>z</a>")


@pytest.mark.slow
async def test_links_numbered_in_batches_are_those_that_are_numbered_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = {}
    async with LoopbackWeb() as web:
        seed = flood(web)
        for at_once in (1000, 1_000_000):
            monkeypatch.setattr("hinterland.crawler.loop.page_visits.LINKS_AT_ONCE", at_once)
            stores[at_once] = (await crawl(web.addresses, [seed], tmp_path / f"{at_once}.db")).store
    parts, whole = stores.values()
    assert len(links(parts)) == MANY + 3
    assert links(parts) == links(whole)
    assert states(parts) == states(whole)
    urls = "SELECT url, depth, referrer FROM page WHERE id <= 9003 ORDER BY id"
    assert rows(parts, urls) == rows(whole, urls)


@pytest.mark.slow
async def test_a_page_of_many_links_does_not_hold_up_the_visits_to_others(tmp_path: Path) -> None:
    """While the first parts wait to be written, another host's page comes and is written before the last part."""
    async with LoopbackWeb() as web:
        seed = flood(web)
        other = web.page("b.test", "/")
        written: list[Record] = []

        async def watch(running: Crawl) -> None:
            write = running._io.writer._write

            async def noted(records: Sequence[Record]) -> None:
                written.extend(records)
                await write(records)

            running._io.writer._write = noted

        await crawl(web.addresses, [seed, other], tmp_path / "store.db", watch=watch)
    parts = [each for each in written if isinstance(each, DiscoveriesRecord) and len(each.new_pages) > 1]
    assert [len(part.new_pages) for part in parts] == [4000, 4000, MANY + 2 - 8000]


async def test_a_large_page_keeps_its_host_busy_until_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a flood of large pages, one at a time is in memory, however fast they come."""
    under_way = 0
    most = 0
    async with LoopbackWeb() as web:
        for number in range(8):
            web.page("a.test", f"/{number}", html=f"<!--{'x' * 40_000}-->{number}")
        seed = web.page("a.test", "/", links=[f"/{number}" for number in range(8)])

        async def watch(running: Crawl) -> None:
            parse = running._io.parsers.parse

            async def slowly(raw: RawPage) -> PageDigest:
                nonlocal under_way, most
                under_way += 1
                most = max(most, under_way)
                await asyncio.sleep(0.01)
                digest = await parse(raw)
                under_way -= 1
                return digest

            monkeypatch.setattr(running._io.parsers, "parse", slowly)

        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db", watch=watch)
    assert crawled.statistics.pages_fetched == 9
    assert most == 1


async def test_no_visit_begins_while_too_much_waits_to_be_written(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        hosts = [f"h{number}.test" for number in range(6)]
        seeds = [web.page(host, "/") for host in hosts]
        asked: list[int] = []

        async def watch(running: Crawl) -> None:
            running._io.writer._max_queued_bytes = -1
            await asyncio.sleep(0.05)
            asked.append(len(web.log))
            running._io.writer._max_queued_bytes = 1_000_000
            running._schedule()

        crawled = await crawl(web.addresses, seeds, tmp_path / "store.db", watch=watch)
    assert asked == [0]
    assert crawled.statistics.pages_fetched == 6


def test_the_bounds_are_settings() -> None:
    assert Settings().parsing.max_links == MAX_LINKS == ParsingSettings().max_links
    assert Settings().scope.max_urls_per_host == 500_000
