"""The parts of `serve` by themselves."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hinterland.library.patient_reading import TookTooLong
from hinterland.search.answers import IndexedRank, SearchAnswer
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index_failures import NoIndex
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.ranks import RankQueries
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.ranks import EstimateHead, EstimateReport, PageRanks
from hinterland.storage.values.runs import RunReport
from hinterland.web import store_queries
from hinterland.web.answer_cache import AnswerPending
from hinterland.web.charts import some
from hinterland.web.crawl_report import convergence_plot, rates_of, score_bars
from hinterland.web.hostile_text import breadcrumb, visible, visible_lines, web_href
from hinterland.web.page_history import RankHistories, in_words
from hinterland.web.plots import HEIGHT, WIDTH, decades, line_plot, log_plot, rounded_up, shares
from hinterland.web.search_service import ReloadingIndex
from hinterland.web.security import HEADERS, is_loopback
from hinterland.web.store_queries import Overloaded, StoreQueries

pytestmark = pytest.mark.slow

# --- text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, read",
    [
        ("  a\n b\t", "a b"),
        ("a\x00\x1b[31m\x9b", "a\\x00\\x1b[31m\\x9b"),
        ("\u202eexe\u2066\u200f", "\\u202eexe\\u2066\\u200f"),
        ("\ud800", "\\ud800"),
        ("می\u200cخواهم 👩\u200d🚀", "می\u200cخواهم 👩\u200d🚀"),
        ("Donau\u00addampf", "Donau\u00addampf"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_misleads_the_eye_is_spelt_out(text: str, read: str) -> None:
    assert visible(text) == read


def test_lines_of_longer_texts_stay() -> None:
    assert visible_lines("a\r\nb\rc\td\u202e") == "a\nb\nc\td\\u202e"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//a.test/",
        "http://a.test/\u202e",
        "http://a.test/ x",
        "ftp://x/",
        "",
    ],
)
def test_only_urls_of_the_web_become_links(url: str) -> None:
    assert web_href(url) is None
    assert web_href("HTTPS://a.test/%20?q='") == "HTTPS://a.test/%20?q='"


def test_breadcrumbs_are_host_and_folders_in_letters() -> None:
    url = "https://a.test:1/ein%20f%C3%BCr/%E2%80%AE?q=%3Cb%3E"
    assert breadcrumb(url) == ["a.test:1", "ein für", "\\u202e", "?q=<b>"]
    assert breadcrumb("http://[/") == ["http://[/"]
    assert breadcrumb("javascript:x") == ["javascript:x"]


@pytest.mark.parametrize("host, is_so", [("127.0.0.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False)])
def test_loopback_is_told_from_other_addresses(host: str, is_so: bool) -> None:
    assert is_loopback(host) is is_so


# --- plots --------------------------------------------------------------------------------------


def test_a_line_reaches_from_edge_to_edge_under_a_round_top() -> None:
    plot = line_plot([0.0, 1.0, 2.0], [0.0, 30.0, 40.0])
    assert plot is not None
    assert plot.points == f"0,{HEIGHT} 300,64 {WIDTH},32"
    assert (plot.bottom, plot.top) == (0.0, 50.0)
    assert line_plot([1.0], [1.0]) is None
    assert line_plot([0.0, 1.0], [0.0, float("nan")]) is None


def test_axes_end_at_round_numbers_and_powers_of_ten() -> None:
    assert [rounded_up(each) for each in (0.0, 0.7, 1.0, 2.1, 26.0, 99.0)] == [1.0, 1.0, 1.0, 2.5, 50.0, 100.0]
    assert decades([0.0, 0.003, 0.02]) == (0.001, 0.1)
    assert decades([1e-12, 0.5]) == (1e-6, 1.0)
    assert decades([0.0]) == (0.1, 1.0)


def test_on_a_logarithmic_axis_what_is_too_small_lies_at_the_base() -> None:
    assert log_plot([0.0, 1.0, 2.0], [1.0, 0.1, 0.0], 0.01, 1.0) == f"0,0 300,80 600,{HEIGHT}"


def test_shares_are_of_the_largest() -> None:
    assert shares([1, 4, 0]) == [25.0, 100.0, 0.0]
    assert shares([0, 0]) == [0.0, 0.0]


def test_some_rows_are_evenly_chosen_with_the_first_and_the_last() -> None:
    assert some(range(100), 4) == [0, 33, 66, 99]
    assert some([1, 2], 4) == [1, 2]


# --- what the dashboard makes of the records ----------------------------------------------------


def test_rates_are_between_points_and_of_the_last_ten_seconds() -> None:
    rates = rates_of({"course": [[0.0, 0, 0, 0], [10.0, 50, 60, 1000], [20.0, 150, 160, 4000], [25.0, 150, 160, 4000]]})
    assert rates is not None
    assert [(seconds, pages) for seconds, pages, _ in rates.points] == [(10.0, 5.0), (20.0, 10.0), (25.0, 0.0)]
    assert rates.pages_now == pytest.approx(100 / 15)
    assert rates.bytes_now == 200.0
    assert rates_of({"course": [[0.0, 0, 0, 0]]}) is None
    assert rates_of({}) is None


def test_convergence_plot_needs_two_changes() -> None:
    def refresh(change: float | None) -> EstimateReport:
        return EstimateReport(1, 1, 1, 1, "x", change, None, 0.1, 1.0)

    assert convergence_plot([refresh(None), refresh(0.1)]) is None
    found = convergence_plot([refresh(None), refresh(0.1), refresh(0.01)])
    assert found is not None
    assert found.disagreement == ""
    assert len(found.change.split()) == 2


def test_columns_of_a_histogram_stand_on_the_base_and_few_pages_are_still_seen() -> None:
    tall, none, low = score_bars([(0.0, 1.0, 10_000), (1.0, 2.0, 0), (2.0, 3.0, 1)])
    assert (tall.y, tall.height) == (0.0, HEIGHT)
    assert none.height == 0.0
    assert low.height == 2.0
    assert score_bars([]) == []


@pytest.mark.parametrize(
    "site, web, words",
    [
        (0.1, 0.102, "This page ranks about as high in the web as within its own site."),
        (0.1, 0.25, "The rank of this page in the web is 2.5 times its rank within its own site."),
        (0.5, 0.01, "The rank of this page within its own site is 50 times its rank in the web."),
    ],
)
def test_the_ratio_of_the_rankings_is_told_in_words(site: float, web: float, words: str) -> None:
    assert in_words(PageRanks("x", site, web, 1, 1, 10)) == words


# --- the index ----------------------------------------------------------------------------------


class _Opened:
    def search(self, query: str, *, limit: int = 10, offset: int = 0, explain: bool = False, **_: Any) -> SearchAnswer:
        return SearchAnswer(query, (), offset, 0, True, (), 0.0)

    def suggest(self, typed: str, *, limit: int = 10) -> list[str]:
        return [typed][:limit]

    def rank_of(self, page: int) -> IndexedRank | None:
        return IndexedRank(page, 9, 1.5, True, "an estimator")

    def main_content(self, page: int) -> str | None:
        return None

    def matched_words(self, query: str, page: int, text: str) -> set[str]:
        return {query}


def test_an_index_is_opened_once_and_again_when_it_was_rebuilt(tmp_path: Path) -> None:
    opened: list[IndexFolder] = []

    def opening(folder: IndexFolder) -> _Opened:
        if not folder.manifest.exists():
            raise NoIndex("there is no index")
        opened.append(folder)
        return _Opened()

    index = ReloadingIndex(IndexFolder(tmp_path), opening, "make it", look_seconds=0.0)
    with pytest.raises(NoIndex, match=r"there is no index\. The command is: make it"):
        index.search("x")
    (tmp_path / "index.json").write_text("1")
    index.search("x")
    index.search("x")
    assert len(opened) == 1
    (tmp_path / "new.json").write_text("22")
    (tmp_path / "new.json").replace(tmp_path / "index.json")
    index.search("x")
    assert len(opened) == 2
    (tmp_path / "index.json").unlink()
    with pytest.raises(NoIndex):
        index.search("x")


# --- the queries -----------------------------------------------------------------------------------


async def test_those_who_ask_the_same_at_once_get_one_answer(crawled_store: Path) -> None:
    queries = StoreQueries(crawled_store)
    asked: list[int] = []

    def question(store: StoreReader) -> list[RunReport]:
        asked.append(1)
        return store.runs.newest()

    answers = await asyncio.gather(*(queries.ask_seldom("runs", question) for _ in range(5)))
    assert len(asked) == 1
    assert answers[0] is answers[4]
    await queries.close()


async def test_who_cannot_wait_gets_the_answer_before(crawled_store: Path) -> None:
    queries = StoreQueries(crawled_store)
    held = threading.Event()

    def question(store: StoreReader) -> int:
        assert held.wait(60)
        return store.runs.count()

    with pytest.raises(AnswerPending):
        await queries.ask_seldom("runs", question, within=0.0)
    held.set()
    assert await queries.ask_seldom("runs", question) == 1
    queries._remembered["runs"].until = 0.0  # as if a second had passed
    held.clear()
    assert await queries.ask_seldom("runs", question, within=0.0) == 1
    held.set()
    await queries.close()


@pytest.fixture
def long_unwritten(crawled_store: Path, tmp_path: Path) -> Path:
    """A private store that nobody has written to for an hour."""
    path = tmp_path / "store.db"
    shutil.copy(crawled_store, path)
    an_hour_ago = time.time() - 3600
    os.utime(path, (an_hour_ago, an_hour_ago))
    return path


class Counted:
    """How many runs a store tells of, and how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, store: StoreReader) -> int:
        self.asked += 1
        return store.runs.count()


def stale(queries: StoreQueries) -> None:
    """As if what is remembered had been found out long ago."""
    for remembered in queries._remembered.values():
        remembered.until = 0.0


async def test_what_the_rows_of_a_store_say_is_found_out_once_as_long_as_nobody_writes(long_unwritten: Path) -> None:
    queries, of_rows, of_others = StoreQueries(long_unwritten), Counted(), Counted()
    for _ in range(3):
        assert await queries.ask_seldom("rows", of_rows, of_rows_alone=True) == 1
        assert await queries.ask_seldom("others", of_others) == 1
        stale(queries)
    assert (of_rows.asked, of_others.asked) == (1, 3)
    await queries.close()


@pytest.mark.parametrize("is_merged", [False, True])
async def test_what_is_committed_is_told_by_the_next_answer(long_unwritten: Path, is_merged: bool) -> None:
    queries, question = StoreQueries(long_unwritten), Counted()
    assert await queries.ask_seldom("rows", question, of_rows_alone=True) == 1
    with closing(sqlite3.connect(long_unwritten, isolation_level=None)) as writer:
        for runs in (2, 3, 4):  # the log keeps its length, once it was merged
            writer.execute(
                "INSERT INTO run (started_at, command, settings, updated_at) VALUES (0, '[]', '{}', ?)", (runs,)
            )
            if is_merged:
                writer.execute("PRAGMA wal_checkpoint")
            stale(queries)
            assert await queries.ask_seldom("rows", question, of_rows_alone=True) == runs
    await queries.close()


async def test_no_answer_is_kept_of_a_store_that_was_written_just_now(long_unwritten: Path) -> None:
    os.utime(long_unwritten)
    queries, question = StoreQueries(long_unwritten), Counted()
    for _ in range(2):
        await queries.ask_seldom("rows", question, of_rows_alone=True)
        stale(queries)
    assert question.asked == 2
    await queries.close()


async def test_answers_to_ever_other_questions_do_not_fill_the_memory(
    crawled_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_queries, "_MAX_REMEMBERED", 3)
    queries, question = StoreQueries(crawled_store), Counted()
    for key in range(5):
        await queries.ask_seldom(key, question, of_rows_alone=True)
    assert list(queries._remembered) == [2, 3, 4]
    await queries.close()


async def test_an_answer_that_comes_after_it_was_forgotten_reaches_waiting_clients(
    crawled_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_queries, "_MAX_REMEMBERED", 1)
    queries, held = StoreQueries(crawled_store), threading.Event()
    slow = asyncio.create_task(queries.ask_seldom("slow", lambda store: held.wait(60)))
    await asyncio.sleep(0)
    assert await queries.ask_seldom("quick", lambda store: 7) == 7
    assert list(queries._remembered) == ["quick"]
    held.set()
    assert await slow is True
    await queries.close()


def replace_by_one_without_runs(store: Path) -> None:
    """As long, and written at the same time."""
    other = store.with_name("other.db")
    shutil.copy(store, other)
    with closing(sqlite3.connect(other)) as writer, writer:
        writer.execute("DELETE FROM run")
    stat = store.stat()
    os.utime(other, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    other.replace(store)


async def test_another_store_in_its_place_is_seen_at_once(long_unwritten: Path) -> None:
    queries, question = StoreQueries(long_unwritten), Counted()
    await queries.ask_seldom("rows", question, of_rows_alone=True)
    replace_by_one_without_runs(long_unwritten)
    stale(queries)
    assert await queries.ask_seldom("rows", question, of_rows_alone=True) == 0
    await queries.close()


def test_an_estimate_is_unpacked_for_the_first_page_alone(crawled_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked: list[int] = []
    rows = RankQueries.estimated

    def counted(ranks: RankQueries, head: EstimateHead) -> bytes:
        unpacked.append(head.number)
        return rows(ranks, head)

    monkeypatch.setattr(RankQueries, "estimated", counted)
    histories = RankHistories()
    with reading(crawled_store) as store:
        known = [histories.of(page, store) for page in range(store.ranks.estimate_heads(1)[0][-1].local_pages)]
    assert len(unpacked) == len(set(unpacked)) == known[0][1] > 0
    assert any(point.share is not None for points, _ in known for point in points)


async def test_a_question_that_failed_is_asked_again(crawled_store: Path, tmp_path: Path) -> None:
    queries = StoreQueries(tmp_path / "none.db")
    for _ in range(2):
        with pytest.raises(NoStore):
            await queries.ask_seldom("runs", lambda store: store.runs.newest())
    await queries.close()


async def test_questions_that_take_too_long_are_broken_off(crawled_store: Path) -> None:
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    queries = StoreQueries(crawled_store, patience_seconds=0.05)
    with pytest.raises(TookTooLong):
        await queries.ask(lambda store: store.connection.execute(endless).fetchall())
    await queries.close()


async def test_more_questions_than_can_be_answered_soon_are_turned_away(crawled_store: Path) -> None:
    queries = StoreQueries(crawled_store)
    held = threading.Event()
    waiting = [asyncio.create_task(queries.in_thread(lambda: held.wait(60))) for _ in range(64)]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        await queries.in_thread(lambda: None)
    held.set()
    await asyncio.gather(*waiting)
    assert await queries.in_thread(lambda: 1) == 1
    await queries.close()


def test_nothing_may_be_added_to_the_content_security_policy_unseen() -> None:
    """Scripts, styles, pictures and answers of this server alone; nothing inline, no frame, no form to elsewhere."""
    assert HEADERS["Content-Security-Policy"].split("; ") == [
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect")),
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
