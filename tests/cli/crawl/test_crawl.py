"""A crawl from the command line's point of view: what it refuses, how it ends, how it goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

import hinterland
from hinterland.cli.crawl.summary import summary
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.settings import load_settings
from hinterland.library.crawls.crawl_run import crawl
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.progress import CrawlProgress
from hinterland.library.crawls.seeds import GivenSeed, addresses_of_seeds, usable_seeds
from hinterland.library.crawls.topic_choice import chosen_topic
from hinterland.library.errors import HinterlandError
from hinterland.storage.link_store import LinkStore
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.records import Record
from tests.support.crawling import states
from tests.support.hinterland import Memory, crawled, overrides
from tests.support.web import Exchange, LoopbackWeb, Page

pytestmark = pytest.mark.slow


def chain(web: LoopbackWeb, pages: int = 5) -> str:
    """Pages on a.test, each with a link to the next and one to b.test, which the scope leaves out."""
    for page in range(pages):
        web.page("a.test", f"/{page}", links=[f"/{page + 1}"] * (page + 1 < pages) + [("b.test", "/")])
    return web.url("a.test", "/0")


def files_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_a_crawl_that_has_seen_everything_says_so_and_what_to_do_next(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        ending = await crawled(web, tmp_path / "s.db", chain(web))
    assert ending.reason is EndReason.EXHAUSTED
    text = summary(ending)
    assert text.startswith("The crawl ended: every page within reach was visited. (exhausted)")
    assert f"python3 run.py status {tmp_path / 's.db'}" in text
    assert ending.content is not None
    assert ending.content.pages.local["fetched"] == 5
    assert ending.content.pages.outside["known"] == 1


async def test_pages_that_wait_in_vain_are_counted_with_the_reason(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        ending = await crawled(web, tmp_path / "s.db", chain(web), settings=("scope.max_pages_per_host=2",))
    assert ending.reason is EndReason.EXHAUSTED
    [waiting] = [line.split(maxsplit=2) for line in summary(ending).splitlines() if "waiting" in line]
    assert waiting == ["waiting", "1", "1 at hosts that are given up or at scope.max_pages_per_host"]


async def test_a_bad_seed_is_reported_with_place_and_reason_and_the_others_are_crawled(
    tmp_path: Path,
) -> None:
    display = Memory()
    async with LoopbackWeb() as web:
        ending = await crawled(web, tmp_path / "s.db", "ftp://a.test/", chain(web), display=display)
    assert ending.reason is EndReason.EXHAUSTED
    [warning] = display.warnings
    assert warning.startswith("seed 1: 'ftp://a.test/' is not a URL")


async def test_without_a_usable_seed_no_store_is_made(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        with pytest.raises(HinterlandError, match="no usable seed") as refusal:
            await crawled(web, tmp_path / "s.db", "ftp://a.test/")
    assert refusal.value.exit_code == 2
    assert files_in(tmp_path) == []


def plan_of(*seeds: str, settings: Sequence[str] = ()) -> CrawlPlan:
    """A plan that is not carried out."""
    effective = load_settings(None, "settings.toml", {}, settings, {})
    return CrawlPlan(effective, [GivenSeed(seed, "a seed") for seed in seeds], "s.db", ["crawl"])


def test_of_many_bad_seeds_some_are_named_and_the_others_counted() -> None:
    display = Memory()
    plan = plan_of(*(f"ftp://{number}.test/" for number in range(12)), "http://a.test/")
    assert usable_seeds(plan.seeds, plan.settings, display) == ["http://a.test/"]
    assert len(display.warnings) == 11
    assert display.warnings[-1] == "and 2 more bad seeds"
    assert display.notes == ["continuing with the other 1 seed"]


def test_of_many_seeds_without_a_scheme_some_are_named_and_the_others_counted() -> None:
    display = Memory()
    plan = plan_of(*(f"{letter}.test" for letter in "abcde"))
    assert len(usable_seeds(plan.seeds, plan.settings, display)) == 5
    assert len(display.notes) == 4
    assert display.notes[-1] == "and 2 more seeds without a scheme, or with a note or a typing error"


@pytest.mark.parametrize("contact, warnings", [("", 1), ("mailto:me@a.example", 0)])
async def test_owners_of_public_hosts_should_know_whom_to_write_to(contact: str, warnings: int) -> None:
    display = Memory()
    plan = plan_of(settings=[f"identity.contact={contact}"])
    await addresses_of_seeds(plan.settings, ["http://192.0.2.1/", "http://8.8.8.8/"], display)
    assert len(display.warnings) == warnings
    assert all("identity.contact is empty" in warning for warning in display.warnings)


async def test_an_unknown_estimator_is_an_error_that_names_the_nearest(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        with pytest.raises(HinterlandError, match='the nearest is "outside-model"'):
            await crawled(web, tmp_path / "s.db", chain(web), settings=("hinterland.estimator=outsidemodel",))


async def test_a_store_that_holds_no_crawl_cannot_be_resumed(tmp_path: Path) -> None:
    async with LinkStore(tmp_path / "s.db"):
        pass
    async with LoopbackWeb() as web:
        with pytest.raises(HinterlandError, match=r"there is nothing to resume: .*s\.db holds no crawl"):
            await crawled(web, tmp_path / "s.db", resume=True)


async def test_an_archive_that_cannot_be_begun_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "warc").write_text("a file")
    async with LoopbackWeb() as web:
        settings = load_settings(None, "settings.toml", {}, overrides(web), {})
        seeds = [GivenSeed(chain(web), "a seed")]
        plan = CrawlPlan(settings, seeds, str(tmp_path / "s.db"), ["crawl"], warc=str(tmp_path / "warc"))
        with pytest.raises(HinterlandError, match="choose another folder for --warc") as refusal:
            await crawl(plan, Memory())
    assert refusal.value.exit_code == 3


async def test_a_crawl_with_another_topic_warns_that_earlier_visits_keep_their_judgements(tmp_path: Path) -> None:
    told: list[list[str]] = []
    async with LoopbackWeb() as web:
        seed = chain(web, 1)
        settings = load_settings(None, "settings.toml", {}, overrides(web, "policy.name=focused"), {})
        for resume, types in ((False, "application/pdf"), (True, "application/pdf"), (True, "application/zip")):
            display = Memory()
            seeds = [] if resume else [GivenSeed(seed, "a seed")]
            topic = chosen_topic(None, types)
            plan = CrawlPlan(settings, seeds, str(tmp_path / "s.db"), ["crawl"], resume=resume, topic=topic)
            await crawl(plan, display)
            told.append(display.warnings)
    assert told == [
        [],
        [],
        ["pages visited before were judged by another topic, and their judgements in the store are kept"],
    ]


async def test_an_unknown_policy_is_an_error_that_names_the_nearest(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        with pytest.raises(HinterlandError, match='the nearest is "bfs"'):
            await crawled(web, tmp_path / "s.db", chain(web), options={"policy.name": "bsf"})


async def test_a_store_that_holds_a_crawl_is_not_crawled_into_without_resume(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        await crawled(web, tmp_path / "s.db", chain(web))
        with pytest.raises(HinterlandError, match=r"add --resume;.* choose another --store") as refusal:
            await crawled(web, tmp_path / "s.db", chain(web))
    assert refusal.value.exit_code == 3


async def test_a_crawl_says_before_it_begins_which_bodies_it_keeps(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = chain(web)
        said = []
        for store, more in (
            ("a.db", {}),
            ("a.db", {"resume": True}),
            ("b.db", {"settings": ("storage.keep_bodies=true",)}),
            ("c.db", {"settings": ("storage.keep_bodies_mb=0",)}),
        ):
            display = Memory()
            await crawled(web, tmp_path / store, seed, display=display, **more)
            said.append([note for note in display.notes if "storage.keep_bodies=true" in note])
    assert [len(notes) for notes in said] == [1, 0, 0, 1]
    assert "stored until the store has 250 MB" in said[0][0]
    assert "are not stored" in said[3][0]


async def test_a_small_crawl_keeps_the_bodies_of_its_pages(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = chain(web)
        for name, settings in (("a.db", ()), ("b.db", ("storage.keep_bodies_mb=0",))):
            await crawled(web, tmp_path / name, seed, settings=settings)
    with hinterland.Store(tmp_path / "a.db") as store:
        assert all(store.body(page.url) for page in store.pages() if page.state == "fetched")
    with hinterland.Store(tmp_path / "b.db") as store:
        assert not any(store.body(page.url) for page in store.pages())


async def test_a_crawl_that_fetched_nothing_makes_room_for_the_next_one(tmp_path: Path) -> None:
    display = Memory()
    async with LoopbackWeb() as web:
        web.host("a.test")
        mistyped = web.url("a.test", "/no-such-page")
        first = await crawled(web, tmp_path / "s.db", mistyped)
        second = await crawled(web, tmp_path / "s.db", chain(web), display=display)
    assert first.reason is EndReason.NOTHING_FETCHED
    assert f"python3 run.py crawl {mistyped}   # after fixing the seed or the settings" in first.next_commands
    assert f"python3 run.py explain {mistyped} --store {tmp_path / 's.db'}" in first.next_commands
    assert second.reason is EndReason.EXHAUSTED
    assert mistyped not in states(tmp_path / "s.db")
    assert display.notes[0] == f"{tmp_path / 's.db'} held a crawl that had fetched nothing; this one replaces it"
    with reading(tmp_path / "s.db") as store:
        assert len(store.runs.newest(limit=10)) == 1


async def test_a_crawl_that_was_stopped_before_its_first_page_keeps_its_store(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.host("a.test")
        missing = web.url("a.test", "/no-such-page")
        await crawled(web, tmp_path / "s.db", missing)
        with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
            connection.execute("UPDATE run SET reason = NULL")  # as if it had been killed
        with pytest.raises(HinterlandError, match="add --resume"):
            await crawled(web, tmp_path / "s.db", chain(web))
    assert states(tmp_path / "s.db") == {missing: "failed"}


async def test_a_bad_seed_leaves_what_a_crawl_that_fetched_nothing_had(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.host("a.test")
        missing = web.url("a.test", "/no-such-page")
        await crawled(web, tmp_path / "s.db", missing)
        with pytest.raises(HinterlandError, match="no usable seed"):
            await crawled(web, tmp_path / "s.db", "ftp://a.test/")
    assert states(tmp_path / "s.db") == {missing: "failed"}


async def test_nothing_can_be_resumed_where_nothing_is(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        with pytest.raises(HinterlandError, match="nothing to resume") as refusal:
            await crawled(web, tmp_path / "s.db", resume=True)
    assert refusal.value.exit_code == 3
    assert files_in(tmp_path) == []


async def test_an_empty_file_is_nothing_to_resume_and_stays_empty(tmp_path: Path) -> None:
    (tmp_path / "s.db").touch()
    async with LoopbackWeb() as web:
        with pytest.raises(HinterlandError, match=r"there is nothing to resume: .*s\.db is empty"):
            await crawled(web, tmp_path / "s.db", resume=True)
    assert files_in(tmp_path) == [tmp_path / "s.db"]
    assert (tmp_path / "s.db").stat().st_size == 0


async def test_resume_with_seeds_begins_where_there_is_no_crawl_yet(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        ending = await crawled(web, tmp_path / "s.db", chain(web), resume=True)
    assert ending.reason is EndReason.EXHAUSTED


async def test_the_page_budget_counts_the_pages_of_all_runs(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        first = await crawled(web, tmp_path / "s.db", chain(web), max_pages=2)
        second = await crawled(web, tmp_path / "s.db", resume=True, max_pages=3)
        third = await crawled(web, tmp_path / "s.db", resume=True)
    assert [ending.reason for ending in (first, second, third)] == [
        EndReason.MAX_PAGES,
        EndReason.MAX_PAGES,
        EndReason.EXHAUSTED,
    ]
    assert [ending.progress.statistics.pages_fetched for ending in (first, second, third)] == [2, 1, 2]
    assert "crawl --resume --store" in summary(first)


async def test_a_resumed_crawl_keeps_its_scope_whatever_the_settings_file_says(tmp_path: Path) -> None:
    display = Memory()
    async with LoopbackWeb() as web:
        seed = chain(web)
        await crawled(web, tmp_path / "s.db", seed, max_pages=1, options={"scope.max_depth": 2})
        ending = await crawled(web, tmp_path / "s.db", resume=True, display=display, file="[scope]\nmax_depth = 9\n")
    assert ending.progress.pages_in_store == 3
    assert display.warnings == []


async def test_a_resumed_crawl_takes_a_new_scope_from_the_command_line_and_says_so(tmp_path: Path) -> None:
    display = Memory()
    async with LoopbackWeb() as web:
        await crawled(web, tmp_path / "s.db", chain(web), max_pages=1, settings=("scope.max_depth=2",))
        await crawled(web, tmp_path / "s.db", resume=True, display=display, settings=("scope.max_depth=3",))
    assert display.warnings == ["this run differs from the last one: scope.max_depth = 3 (--set; it was 2)"]


async def test_failures_are_summed_up_by_kind_with_an_example(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.robots("a.test", "User-agent: *\nDisallow: /secret\n")
        seed = web.page("a.test", "/", links=["/gone", "/also-gone", "/secret"])
        ending = await crawled(web, tmp_path / "s.db", seed)
        gone = web.url("a.test", "/gone")
    lines = summary(ending).splitlines()
    assert f"  client_error  2  {gone}  (status 404)" in lines
    assert any(line.startswith("  robots  1  ") and line.endswith("/secret") for line in lines)


async def test_a_crawl_of_which_nothing_could_be_fetched_names_the_host_and_its_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with LoopbackWeb() as web:
        web.host("a.test")
        port = web.port
    async with LoopbackWeb() as other:  # so that nobody listens at the port of the first
        other.host("a.test")
        settings = ("politeness.give_up_after_failures=1",)
        ending = await crawled(other, tmp_path / "s.db", f"http://a.test:{port}/", settings=settings)
    assert ending.reason is EndReason.NOTHING_FETCHED
    reason = "robots.txt: connect_failure: connection refused"
    assert f"  http://a.test:{port}  ({reason})\n" in summary(ending)
    assert [record.getMessage() for record in caplog.records] == [f"http://a.test:{port}: {reason}"]


async def test_an_address_that_is_not_public_is_refused_before_there_is_a_store_with_the_way_to_open_it(
    tmp_path: Path,
) -> None:
    display = Memory()
    async with LoopbackWeb() as web:
        with pytest.raises(HinterlandError) as refusal:
            await crawled(
                web,
                tmp_path / "s.db",
                "localhost:8000",
                display=display,
                settings=("fetching.allow_networks=10.0.0.0/8", "fetching.addresses=localhost=127.0.0.1"),
            )
    assert "http://localhost:8000 is at 127.0.0.1, and no request is made to an address" in str(refusal.value)
    command = "python3 run.py crawl localhost:8000 --set fetching.allow_networks=10.0.0.0/8,127.0.0.0/8"
    assert str(refusal.value).endswith(f":\n  {command}")
    assert display.notes == ["localhost:8000 is read as http://localhost:8000/"]
    assert files_in(tmp_path) == []


async def test_of_several_seeds_those_at_addresses_that_are_not_public_are_warned_of(tmp_path: Path) -> None:
    display = Memory()
    async with LoopbackWeb() as web:
        ending = await crawled(web, tmp_path / "s.db", chain(web), "192.168.0.7", display=display)
    assert ending.content is not None
    assert ending.content.pages.of("fetched") == 5
    [warning] = display.warnings
    assert "http://192.168.0.7 is at 192.168.0.7" in warning
    assert warning.endswith("add --set fetching.allow_networks=127.0.0.0/8,192.168.0.7")


async def test_what_is_wrong_with_the_command_is_said_before_what_is_wrong_with_the_store(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        await crawled(web, tmp_path / "s.db", chain(web))
        with pytest.raises(HinterlandError, match="no usable seed"):
            await crawled(web, tmp_path / "s.db", "ftp://a.test/")
        with pytest.raises(HinterlandError, match='there is no policy "bsf"'):
            await crawled(web, tmp_path / "s.db", chain(web), options={"policy.name": "bsf"})
        with pytest.raises(HinterlandError, match='there is no policy "bsf"'):
            await crawled(web, tmp_path / "s.db", resume=True, options={"policy.name": "bsf"})


async def test_a_store_that_cannot_be_written_ends_the_crawl_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(store: LinkStore, records: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    async with LoopbackWeb() as web:
        seed = chain(web)
        await crawled(web, tmp_path / "s.db", seed, max_pages=1)
        write = LinkStore.write
        written = 0

        async def write_once(store: LinkStore, records: Sequence[Record]) -> None:
            nonlocal written
            written += 1
            await (write(store, records) if written == 1 else fail(store, records))

        monkeypatch.setattr(LinkStore, "write", write_once)
        ending = await crawled(web, tmp_path / "s.db", resume=True)
    assert ending.reason is EndReason.STORE_FAILED
    assert "database or disk is full" in ending.problem
    assert states(tmp_path / "s.db")[seed] == "fetched"


async def test_a_crawl_whose_store_is_deleted_says_so_and_goes_on_with_what_it_had(tmp_path: Path) -> None:
    store = tmp_path / "s.db"

    async with LoopbackWeb() as web:
        seed = chain(web)

        async def delete(exchange: Exchange) -> None:
            if store.exists():
                store.unlink()
            await Page("3", ["/4"], 200, {})(exchange)

        web.answer("a.test", "/3", delete)
        ending = await crawled(web, store, seed)
        resumed = await crawled(web, tmp_path / "s.rescued.db", resume=True)
    assert ending.reason is EndReason.STORE_FAILED
    text = summary(ending)
    assert f"{store} was deleted while it was being written; all that was fetched is saved in" in text
    assert f"Next   python3 run.py crawl --resume --store {tmp_path / 's.rescued.db'}" in text
    assert f"--store {store}" not in text
    assert ending.content is not None
    assert ending.content.pages.of("fetched") >= 3
    assert resumed.reason is EndReason.EXHAUSTED
    assert list(states(tmp_path / "s.rescued.db").values()).count("fetched") == 5
    with reading(tmp_path / "s.rescued.db") as reports:
        assert [run.reason for run in reports.runs.newest()] == ["exhausted", "store-failed"]


async def test_a_crawl_that_waits_notices_that_its_store_was_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hinterland.crawler.assembly.running._PROGRESS_SECONDS", 0.01)
    store, elsewhere = tmp_path / "s.db", tmp_path / "t.db"

    class Mover(Memory):
        def progress(self, progress: CrawlProgress) -> None:
            if progress.statistics.robots_fetched and store.exists():
                store.rename(elsewhere)

    async with LoopbackWeb() as web:
        seed = chain(web)
        ending = await crawled(web, store, seed, display=Mover(), settings=("politeness.delay_seconds=3600",))
    assert ending.reason is EndReason.STORE_FAILED
    assert f"{store} was moved to {elsewhere} while it was being written; all that was" in summary(ending)
    assert ending.store == str(elsewhere)
    assert states(elsewhere) == {seed: "waiting"}


async def test_a_bug_is_no_end_of_a_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(store: LinkStore, records: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(LinkStore, "write", fail)
    async with LoopbackWeb() as web:
        with pytest.raises(ZeroDivisionError):
            await crawled(web, tmp_path / "s.db", chain(web))


async def test_progress_is_shown_while_the_crawl_runs(tmp_path: Path) -> None:
    display = Memory()
    async with LoopbackWeb(latency=0.02) as web:
        await crawled(web, tmp_path / "s.db", chain(web), display=display)
    assert display.shown
    assert display.shown[-1].statistics.frontier.hosts >= 1


async def test_the_store_keeps_the_command_of_every_run(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        await crawled(web, tmp_path / "s.db", chain(web))
    with reading(tmp_path / "s.db") as store:
        run = store.runs.last()
    assert run is not None
    assert run.command[0] == "crawl"
    assert run.reason == "exhausted"
