"""Which sitemaps are asked, when, and when not any more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.sitemaps.entries import SitemapBounds, SitemapEntry
from hinterland.crawler.features.sitemaps.entry_sketch import EntrySketch, change_between
from hinterland.crawler.features.sitemaps.host_budget import BudgetLimits
from hinterland.crawler.features.sitemaps.known_sitemaps import (
    DEFAULT_INTERVALS,
    DEFAULT_LIMITS,
    KnownSitemaps,
    SitemapLimits,
)
from hinterland.crawler.features.sitemaps.rows import Retirement, SitemapRow, SitemapSource
from hinterland.crawler.urls.canonical import Canonicaliser
from tests.support.levels import rounds
from tests.support.sitemaps import packed, urlset

HOST = "http://a.test"
ROOT = "http://a.test/sitemap.xml"
DAY, HOUR = 86_400.0, 3_600.0
CANONICALISER = Canonicaliser()


def known(**changes: Any) -> KnownSitemaps:
    """With one sitemap that robots.txt names."""
    sitemaps = KnownSitemaps(limits=replace(DEFAULT_LIMITS, **changes))
    sitemaps.robots_read(HOST, [ROOT], 0.0)
    return sitemaps


def index(*urls: str, lastmod: str = "") -> bytes:
    rows = "".join(f"<sitemap><loc>{url}</loc><lastmod>{lastmod}</lastmod></sitemap>" for url in urls)
    return f"<sitemapindex>{rows}</sitemapindex>".encode()


def pages(*numbers: int) -> bytes:
    return urlset(*(f"{HOST}/{number}" for number in numbers))


def read(sitemaps: KnownSitemaps, body: bytes, now: float, url: str = ROOT) -> list[SitemapEntry]:
    visit = sitemaps.visit(url, CANONICALISER, bounds=SitemapBounds(max_bytes=1 << 20))
    entries = visit.feed(body) + visit.close()
    sitemaps.read(visit, now, etag='"1"')
    return entries


def due(sitemaps: KnownSitemaps, now: float) -> list[str]:
    found = []
    while (row := sitemaps.next_due(now)) is not None:
        found.append(row.url)
    return sorted(found)


def row_of(sitemaps: KnownSitemaps, url: str = ROOT) -> SitemapRow:
    row = sitemaps.row(url)
    assert row is not None
    return row


# ------------------------------------------------------------------------------------------ what they name


@pytest.mark.parametrize(
    "written, meant",
    [
        ("a.test/page", "http://a.test/page"),
        ("a.test", "http://a.test/"),
        ("/page", "http://a.test/page"),
        ("a.test.html", "http://a.test/a.test.html"),
    ],
)
def test_who_leaves_out_the_scheme_means_the_host_and_no_folder_of_its_name(written: str, meant: str) -> None:
    assert [entry.url for entry in read(known(), urlset(written), 1.0)] == [meant]


# ------------------------------------------------------------------------------------------ who names them


def test_what_robots_txt_names_is_asked_at_once_and_nothing_is_guessed() -> None:
    sitemaps = KnownSitemaps()
    sitemaps.robots_read(HOST, ["http://a.test/x.xml", "http://cdn.test/a.xml"], 5.0)
    assert sitemaps.next_at() == 5.0
    assert due(sitemaps, 4.0) == []
    assert due(sitemaps, 5.0) == ["http://a.test/x.xml", "http://cdn.test/a.xml"]
    assert [row.source for row in sitemaps.of_host(HOST)] == [SitemapSource.ROBOTS] * 2


def guessed_and_gone() -> KnownSitemaps:
    """robots.txt names none, and there is none in the usual place."""
    sitemaps = KnownSitemaps()
    sitemaps.robots_read(HOST, [], 0.0)
    assert due(sitemaps, 0.0) == [ROOT]
    sitemaps.failed(ROOT, 404, 0.0)
    assert row_of(sitemaps).retired is Retirement.GONE
    return sitemaps


def test_where_robots_txt_names_none_the_usual_place_is_tried_once() -> None:
    sitemaps = guessed_and_gone()
    sitemaps.robots_read(HOST, [], 1.0)
    assert due(sitemaps, 400 * DAY) == []


def test_what_robots_txt_names_no_longer_is_retired_until_it_does_again() -> None:
    sitemaps = known()
    sitemaps.robots_read(HOST, ["http://a.test/new.xml"], 1.0)
    assert row_of(sitemaps).retired is Retirement.NOT_NAMED
    assert due(sitemaps, DAY) == ["http://a.test/new.xml"]
    sitemaps.robots_read(HOST, [ROOT], 2.0)
    assert row_of(sitemaps).retired is None


def test_the_first_feeds_that_a_front_page_names_of_its_own_host_are_asked() -> None:
    sitemaps = known(feeds_per_host=2)
    assert due(sitemaps, 0.0) == [ROOT]
    feeds = ["http://other.test/feed", "http://a.test/feed", "http://a.test/news", "http://a.test/third"]
    for _ in range(2):
        sitemaps.feeds_found(HOST, feeds, 0.0)
    assert due(sitemaps, 0.0) == ["http://a.test/feed", "http://a.test/news"]


def test_a_feed_that_was_gone_is_tried_again_as_long_as_it_is_named() -> None:
    sitemaps = known()
    sitemaps.feeds_found(HOST, ["http://a.test/feed"], 0.0)
    for day in range(3):
        sitemaps.failed("http://a.test/feed", 404, day * DAY)
    assert row_of(sitemaps, "http://a.test/feed").retired is Retirement.GONE
    sitemaps.feeds_found(HOST, ["http://a.test/feed"], 40 * DAY)
    assert "http://a.test/feed" in due(sitemaps, 40 * DAY)


def test_the_sitemaps_of_an_index_are_asked_and_those_it_drops_are_not() -> None:
    sitemaps = known()
    read(sitemaps, index("/1.xml", "/2.xml", ROOT, "http://other.test/3.xml"), 0.0)
    assert due(sitemaps, 0.0) == ["http://a.test/1.xml", "http://a.test/2.xml"]
    read(sitemaps, index("/2.xml"), DAY)
    assert row_of(sitemaps, "http://a.test/1.xml").retired is Retirement.NOT_NAMED
    read(sitemaps, index("/2.xml")[:-9], DAY)  # cut off: who knows what else it names
    assert row_of(sitemaps, "http://a.test/2.xml").retired is None


def test_indexes_in_indexes_end_and_loops_are_none() -> None:
    sitemaps = known(depth=2)
    above = ROOT
    for depth in range(1, 4):
        read(sitemaps, index(f"/{depth}.xml", ROOT, above), 0.0, above)
        above = f"http://a.test/{depth}.xml"
        if sitemaps.row(above) is None:
            break
    assert [row.depth for row in sitemaps.of_host(HOST)] == [1, 2, 0]
    assert sitemaps.left_out(HOST) > 0


def test_a_host_has_a_bounded_number_of_them_and_the_newest_first() -> None:
    sitemaps = known(per_host=4)
    old, new = (f"<sitemap><loc>/{name}.xml</loc><lastmod>{day}</lastmod></sitemap>" for name, day in
                (("old", "2020-01-01"), ("new", "2024-01-01")))  # fmt: skip
    nameless = "".join(f"<sitemap><loc>/{number}.xml</loc></sitemap>" for number in range(9))
    read(sitemaps, f"<sitemapindex>{nameless}{old}{new}</sitemapindex>".encode(), 0.0)
    assert [row.url for row in sitemaps.of_host(HOST)] == [
        "http://a.test/0.xml",
        "http://a.test/new.xml",
        "http://a.test/old.xml",
        ROOT,
    ]
    assert sitemaps.left_out(HOST) == 8


# ---------------------------------------------------------------------------------- of what it may speak


def test_a_sitemap_speaks_of_its_own_host_only() -> None:
    sitemaps = known()
    body = urlset("https://www.a.test/1", "http://a.test/2", "http://b.test/3", "http://x.a.test/4", "/5")
    urls = [entry.url for entry in read(sitemaps, body, 0.0)]
    assert urls == ["https://www.a.test/1", "http://a.test/2", f"{HOST}/5"]


def test_it_speaks_of_others_too_whose_robots_txt_names_it_or_its_index() -> None:
    sitemaps = known()
    sitemaps.robots_read("http://b.test", [ROOT], 0.0)
    read(sitemaps, index("/1.xml"), 0.0)
    for url in (ROOT, "http://a.test/1.xml"):
        assert [entry.url for entry in read(sitemaps, urlset("http://b.test/3"), 0.0, url)] == ["http://b.test/3"]
    sitemaps.robots_read("http://b.test", ["http://b.test/own.xml"], 1.0)
    assert read(sitemaps, urlset("http://b.test/3"), 1.0) == []


def test_one_that_no_robots_txt_names_may_be_held_to_its_folder() -> None:
    sitemaps = known(own_folder_only=True)
    read(sitemaps, index("/user/map.xml"), 0.0)
    sitemaps.robots_read("http://b.test", ["http://a.test/other/map.xml"], 0.0)
    body = urlset("/1", "/user/2", "/user2/3", "user/4", "http://b.test/5")
    everywhere = [f"{HOST}/1", f"{HOST}/user/2", f"{HOST}/user2/3"]
    for url, named in {
        "http://a.test/user/map.xml": [*everywhere, f"{HOST}/user/user/4"],  # by its index, which robots.txt names
        "http://a.test/user/own.xml?x=/": [f"{HOST}/user/2", f"{HOST}/user/user/4"],
        "http://a.test/other/map.xml": [f"{HOST}/other/user/4", "http://b.test/5"],  # by the other host's alone
    }.items():
        assert [entry.url for entry in read(sitemaps, body, 0.0, url)] == named


# ------------------------------------------------------------------------------------------------ intervals


def test_one_that_changes_is_asked_more_often_and_one_that_does_not_less() -> None:
    rarely, often = known(), known()
    now = 0.0
    for number in range(12):
        now = row_of(often).next_at
        read(often, pages(*range(number, number + 30)), now)
    assert row_of(often).interval == DEFAULT_INTERVALS.shortest
    assert 0 < row_of(often).changed_share < 0.3
    for _ in range(12):
        now = row_of(rarely).next_at
        if row_of(rarely).fetched_at is None:
            read(rarely, pages(1, 2), now)
        else:
            rarely.not_modified(ROOT, now)
    assert row_of(rarely).interval == DEFAULT_INTERVALS.longest
    assert row_of(rarely).etag == '"1"'


def test_another_lastmod_in_the_index_brings_one_forward() -> None:
    sitemaps = known()
    child = "http://a.test/1.xml"
    read(sitemaps, index(child, lastmod="2024-01-01"), 0.0)
    read(sitemaps, pages(1), 1.0, child)
    read(sitemaps, index(child, lastmod="2024-01-01"), 2.0)
    assert row_of(sitemaps, child).next_at == 1.0 + DAY
    read(sitemaps, index(child, lastmod="2024-01-02"), 3.0)
    assert row_of(sitemaps, child).next_at == 3.0


def test_a_sitemap_without_an_answer_is_due_again_after_a_day() -> None:
    sitemaps = known()
    assert due(sitemaps, 0.0) == [ROOT]
    assert due(sitemaps, DAY - 1) == []
    assert due(sitemaps, DAY) == [ROOT]


# -------------------------------------------------------------------------------------------- retirement


@pytest.mark.parametrize(
    "status, days, reason",
    [
        (404, 0.1, None),
        (404, 2.0, Retirement.GONE),
        (410, 0.0, Retirement.GONE),
        (429, 2.0, None),
        (503, 2.0, None),
        (503, 8.0, Retirement.FAILING),
        (None, 8.0, Retirement.FAILING),
    ],
)
def test_one_that_fails_is_retired_in_time(status: int | None, days: float, reason: Retirement | None) -> None:
    sitemaps = known()
    read(sitemaps, pages(1), 0.0)
    for part in range(5):
        sitemaps.failed(ROOT, status, DAY + part / 4 * days * DAY)
    assert row_of(sitemaps).retired is reason


def test_an_answer_makes_failures_forgotten() -> None:
    sitemaps = known()
    for day in range(20):
        sitemaps.failed(ROOT, 404, day * DAY)
        sitemaps.not_modified(ROOT, day * DAY + HOUR)
    assert row_of(sitemaps).retired is None


@pytest.mark.parametrize(
    "body, readings, reason",
    [
        (b"<html>", 3, Retirement.NO_SITEMAP),
        (b"", 3, Retirement.NO_SITEMAP),
        (packed(b"<urlset>" + b" " * 4_000_000), 1, Retirement.HOSTILE),
        (b"<urlset></urlset>", 9, None),
        (pages(1)[:-5], 9, None),
    ],
    ids=["html", "nothing", "bomb", "empty", "cut off"],
)
def test_what_is_no_sitemap_is_retired(body: bytes, readings: int, reason: Retirement | None) -> None:
    sitemaps = known()
    for number in range(readings):
        assert row_of(sitemaps).retired is None
        read(sitemaps, body, number * DAY)
    assert row_of(sitemaps).retired is reason


def test_one_of_an_index_that_is_unchanged_for_long_is_retired_until_the_index_says_otherwise() -> None:
    sitemaps = known()
    child = "http://a.test/1.xml"
    read(sitemaps, index(child, lastmod="2024-01-01"), 0.0)
    for now in (0.0, 100 * DAY, 181 * DAY):
        read(sitemaps, pages(1), now, child)
        sitemaps.not_modified(ROOT, now)
    assert row_of(sitemaps, child).retired is Retirement.DEAD
    assert row_of(sitemaps).retired is None
    read(sitemaps, index(child, lastmod="2024-01-01"), 200 * DAY)
    assert row_of(sitemaps, child).retired is Retirement.DEAD
    read(sitemaps, index(child, lastmod="2024-06-01"), 201 * DAY)
    assert row_of(sitemaps, child).retired is None


def minting(sitemaps: KnownSitemaps, *, what: str, until: float) -> int:
    """How often a sitemap was asked that names 50 other URLs whenever it is."""
    asked = 0
    while (at := sitemaps.next_at()) is not None and at <= until:
        row = sitemaps.next_due(at)
        if row is None:
            continue
        asked += 1
        numbers = range(asked * 50, asked * 50 + 50)
        match what:
            case "pages":
                read(sitemaps, pages(*numbers), at, row.url)
            case "news":
                items = "".join(f"<item><link>{HOST}/{number}</link></item>" for number in numbers)
                read(sitemaps, f"<rss>{items}</rss>".encode(), at, row.url)
            case "sitemaps" if row.url == ROOT:
                read(sitemaps, index(*(f"/{number}.xml" for number in numbers)), at)
            case "sitemaps":
                read(sitemaps, pages(*numbers), at, row.url)
    return asked


def test_one_that_mints_urls_is_retired_and_can_be_taken_up_again() -> None:
    sitemaps = known()
    assert minting(sitemaps, what="pages", until=90 * DAY) < 12
    assert row_of(sitemaps).retired is Retirement.MINTS_URLS
    assert sitemaps.next_at() is None
    sitemaps.robots_read(HOST, [ROOT], 91 * DAY)
    assert sitemaps.next_at() is None
    sitemaps.robots_read(HOST, [ROOT], 200 * DAY)
    assert due(sitemaps, 200 * DAY) == [ROOT]


def test_one_that_was_guessed_and_not_there_is_asked_at_once_when_robots_txt_names_it() -> None:
    sitemaps = guessed_and_gone()
    sitemaps.robots_read(HOST, [], HOUR)
    assert due(sitemaps, HOUR) == []
    sitemaps.robots_read(HOST, [ROOT], 2 * HOUR)
    assert due(sitemaps, 2 * HOUR) == [ROOT]
    assert row_of(sitemaps).source is SitemapSource.ROBOTS


def test_one_that_was_guessed_and_not_there_is_guessed_again_after_a_month() -> None:
    sitemaps = KnownSitemaps()
    sitemaps.robots_read(HOST, [], 0.0)
    sitemaps.failed(ROOT, 404, 0.0)
    asked = []
    for day in range(1, 91):
        sitemaps.robots_read(HOST, [], day * DAY)
        if due(sitemaps, day * DAY):
            asked.append(day)
            sitemaps.failed(ROOT, 404, day * DAY)
    assert asked == [30, 60, 90]


@pytest.mark.parametrize("status, reason", [(410, Retirement.GONE), (503, Retirement.FAILING)])
def test_one_that_robots_txt_still_names_is_tried_once_a_day_until_it_answers(status: int, reason: Retirement) -> None:
    sitemaps = known()
    for day in (0, 4, 8):
        sitemaps.failed(ROOT, status, day * DAY)
    assert row_of(sitemaps).retired is reason
    sitemaps.robots_read(HOST, [ROOT], 8 * DAY + HOUR)
    assert due(sitemaps, 8 * DAY + HOUR) == []
    for day in (9, 10):
        for _ in range(2):
            sitemaps.robots_read(HOST, [ROOT], day * DAY)
        assert due(sitemaps, day * DAY) == [ROOT]
        sitemaps.failed(ROOT, status, day * DAY)
        assert row_of(sitemaps).retired is reason
    sitemaps.robots_read(HOST, [ROOT], 11 * DAY)
    read(sitemaps, pages(1), 11 * DAY)
    assert row_of(sitemaps).retired is None
    sitemaps.failed(ROOT, 503, 12 * DAY)
    assert row_of(sitemaps).retired is None, "what was before is forgotten"


def test_one_that_an_index_without_dates_still_names_is_tried_again_after_a_month() -> None:
    sitemaps = known()
    child = "http://a.test/1.xml"
    read(sitemaps, index(child), 0.0)
    sitemaps.failed(child, 410, 0.0)
    read(sitemaps, index(child), 29 * DAY)
    assert row_of(sitemaps, child).retired is Retirement.GONE
    read(sitemaps, index(child), 30 * DAY)
    assert row_of(sitemaps, child).retired is None
    sitemaps.failed(child, 410, 31 * DAY)
    assert row_of(sitemaps, child).retired is Retirement.GONE


@pytest.mark.slow
def test_news_is_new_whenever_it_is_read() -> None:
    sitemaps = known()
    minting(sitemaps, what="news", until=10 * DAY)
    assert row_of(sitemaps).retired is None


@pytest.mark.slow
def test_an_index_that_mints_sitemaps_is_retired_with_all_of_them() -> None:
    sitemaps = known()
    minting(sitemaps, what="sitemaps", until=90 * DAY)
    assert row_of(sitemaps).retired is Retirement.MINTS_SITEMAPS
    assert sitemaps.next_at() is None
    assert {row.retired for row in sitemaps.of_host(HOST)} == {Retirement.MINTS_SITEMAPS, Retirement.NOT_NAMED}


@pytest.mark.slow
def test_ephemeral_sitemaps_take_less_than_a_hundredth_of_the_visits() -> None:
    """An index that names thousands of others whenever it is read, each of 20 other pages; and a page every ten
    seconds."""
    others = rounds(5_000, 15_000)
    sitemaps = known()
    asked, named, visited = 0, 0, 0
    for now in range(0, int(30 * DAY), 3600):
        for _ in range(360):
            visited += 1
            sitemaps.page_visited(HOST)
        while (row := sitemaps.next_due(now)) is not None:
            asked += 1
            if row.url == ROOT:
                read(sitemaps, index(*(f"/{named + number}.xml" for number in range(others))), now)
                named += others
            else:
                read(sitemaps, pages(*range(asked * 20, asked * 20 + 20)), now, row.url)
    assert named >= 7 * others
    assert len(sitemaps.of_host(HOST)) <= 11_001
    assert row_of(sitemaps).retired is Retirement.MINTS_SITEMAPS
    assert asked < (asked + visited) / 100
    assert sitemaps.next_at() is None


def test_a_host_is_asked_for_no_more_than_its_budget() -> None:
    limits = BudgetLimits(at_once=10, daily=5, pages_for_one=100)
    sitemaps = KnownSitemaps(limits=SitemapLimits(budget=limits))
    sitemaps.robots_read(HOST, [f"{HOST}/{number}.xml" for number in range(50)], 0.0)
    assert len(due(sitemaps, 0.0)) == 10
    assert len(due(sitemaps, 2 * DAY)) == 10
    for _ in range(300):
        sitemaps.page_visited(HOST)
    assert len(due(sitemaps, 3 * DAY + 1)) == 5 + 3


# ------------------------------------------------------------------------------------------------ state


def test_a_restart_changes_nothing_that_is_kept() -> None:
    sitemaps = known()
    read(sitemaps, index("/1.xml", "/2.xml"), 0.0)
    read(sitemaps, pages(*range(99)), 1.0, "http://a.test/1.xml")
    sitemaps.failed("http://a.test/2.xml", 410, 2.0)
    rows, forgotten = sitemaps.take_changed()
    assert (len(rows), forgotten) == (3, [])
    assert sitemaps.take_changed() == ([], [])
    again = KnownSitemaps([replace(row) for row in rows])
    assert again.of_host(HOST) == sitemaps.of_host(HOST)
    assert due(again, 0.0) == due(sitemaps, 0.0) == []
    assert again.next_at() == sitemaps.next_at()
    again.robots_read(HOST, [ROOT], 3.0)
    assert again.take_changed() == ([], [])
    assert due(again, 400 * DAY) == due(sitemaps, 400 * DAY)


def test_forgotten_rows_are_reported() -> None:
    sitemaps = known(retired_per_host=2)
    for number in range(5):
        read(sitemaps, index(f"/{number}.xml"), number * DAY)
    rows, forgotten = sitemaps.take_changed()
    assert forgotten == ["http://a.test/0.xml", "http://a.test/1.xml"]
    assert [row.url for row in rows] == [f"http://a.test/{number}.xml" for number in (2, 3, 4)] + [ROOT]


# ----------------------------------------------------------------------------------------------- sketch


def sketch(entries: dict[str, float]) -> bytes:
    made = EntrySketch()
    for url, lastmod in entries.items():
        made.add(url, lastmod)
    return made.packed()


URLS = st.text("abc", max_size=3)


@pytest.mark.slow
@given(st.dictionaries(URLS, st.just(1.0), max_size=32), st.dictionaries(URLS, st.just(2.0), max_size=32))
def test_of_few_entries_the_change_is_exact(old: dict[str, float], now: dict[str, float]) -> None:
    change = change_between(sketch(old), sketch(now))
    total = len(now) or 1
    assert change.new == pytest.approx(len(now.keys() - old.keys()) / total)
    assert change.moved == pytest.approx(len(now.keys() & old.keys()) / total)


@pytest.mark.parametrize("new, moved", [(0, 0), (100, 0), (50, 10), (5, 60), (1000, 0)])
def test_of_many_it_is_a_good_estimate(new: int, moved: int) -> None:
    old = {str(number): 1.0 for number in range(1000)}
    now = {str(number): 2.0 if number < new + moved else 1.0 for number in range(new, 1000 + new)}
    change = change_between(sketch(old), sketch(now))
    assert change.new == pytest.approx(new / 1000, abs=0.2)
    assert change.moved == pytest.approx(moved / 1000, abs=0.2)
    assert (change.new > 0.9) is (new == 1000)


def test_the_order_of_entries_and_their_repetition_do_not_matter() -> None:
    urls = [str(number) for number in range(100)]
    assert sketch(dict.fromkeys(urls, 1.0)) == sketch(dict.fromkeys(reversed(urls), 1.0))
    made = EntrySketch()
    for url in urls + urls:
        made.add(url, 1.0)
    assert made.packed() == sketch(dict.fromkeys(urls, 1.0))
    assert len(made.packed()) == 256
