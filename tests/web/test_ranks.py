"""The picture of all ranks shows each page where its two ranks are, and names those that are moved most."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from hinterland.storage.values.ranks import ComparedRank
from hinterland.web.rank_scatter import SIZE, rank_scatter
from tests.support.crawling import rows
from tests.web.test_pages import client_of, get, shown

pytestmark = pytest.mark.slow


def test_a_dot_stands_where_its_ranks_are_on_logarithmic_axes() -> None:
    pages = [ComparedRank(1, 1.0, 10.0), ComparedRank(2, 0.1, 0.1)]
    scatter = rank_scatter(pages, pages[:1], [])
    assert scatter is not None
    assert [tick.label for tick in scatter.ticks] == ["0.1", "1", "10"]
    assert re.findall(r"M(\S+) (\S+)h0", scatter.points) == [(f"{SIZE / 2:g}", "0"), ("0", f"{SIZE:g}")]
    [raised] = scatter.raised
    assert (raised.number, raised.page, raised.x, raised.y, raised.times) == (1, 1, SIZE / 2, 0.0, 10.0)
    assert rank_scatter([], [], []) is None
    alike = rank_scatter([ComparedRank(1, 1.0, 1.0)], [], [])
    assert alike is not None
    assert len(alike.ticks) == 2


def test_an_axis_ends_where_the_ranks_do_and_has_two_powers_of_ten_at_least() -> None:
    for least, most, labels in [(0.06, 180.0, ["0.1", "1", "10", "100"]), (0.3, 3.0, ["0.1", "1", "10"])]:
        scatter = rank_scatter([ComparedRank(1, least, least), ComparedRank(2, most, most)], [], [])
        assert scatter is not None
        assert [tick.label for tick in scatter.ticks] == labels
        assert all(0 <= tick.place <= SIZE for tick in scatter.ticks)


@given(st.lists(st.tuples(st.floats(0.01, 100.0), st.floats(0.01, 100.0)), min_size=1, max_size=16), st.integers(0, 16))
def test_no_number_in_the_picture_stands_on_another(ranks: list[tuple[float, float]], raised: int) -> None:
    pages = [ComparedRank(number, *each) for number, each in enumerate(ranks)]
    scatter = rank_scatter(pages, pages[:raised], pages[raised:])
    assert scatter is not None
    labelled = [*scatter.raised, *scatter.lowered]
    assert [each.number for each in labelled] == list(range(1, len(pages) + 1))
    for one, other in combinations(labelled, 2):
        assert abs(one.label_x - other.label_x) >= 20 or abs(one.label_y - other.label_y) >= 14


def test_pages_at_one_dot_share_one_label() -> None:
    there, apart = ComparedRank(0, 1.0, 9.0), ComparedRank(9, 0.1, 4.0)
    raised = [replace(there, page=number) for number in range(3)] + [apart] + [replace(there, page=5)]
    scatter = rank_scatter(raised, raised, [ComparedRank(7, 1.0, 0.1), ComparedRank(8, 1.0, 0.1)])
    assert scatter is not None
    assert [each.label for each in scatter.raised] == ["1–3, 5", "", "", "4", ""]
    assert [each.label for each in scatter.lowered] == ["6, 7", ""]
    assert [each.number for each in scatter.raised] == [1, 2, 3, 4, 5]


@given(st.lists(st.tuples(st.floats(0.01, 100.0), st.floats(0.01, 100.0)), min_size=1, max_size=16))
def test_every_page_of_the_list_is_named_by_exactly_one_label(ranks: list[tuple[float, float]]) -> None:
    pages = [ComparedRank(number, *each) for number, each in enumerate(ranks)]
    scatter = rank_scatter(pages, pages, [])
    assert scatter is not None
    named: list[int] = []
    for each in scatter.raised:
        for run in filter(None, each.label.split(", ")):
            low, _, high = run.partition("–")
            named += range(int(low), int(high or low) + 1)
    assert sorted(named) == [each.number for each in scatter.raised]


async def test_the_pages_moved_most_are_named(crawled_store: Path, tmp_path: Path) -> None:
    store = tmp_path / "moved.db"
    shutil.copy(crawled_store, store)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE rank SET pagerank = pagerank * 5 WHERE estimator <> 'local' AND page % 9 = 1")
        connection.execute("UPDATE rank SET pagerank = pagerank / 9 WHERE estimator <> 'local' AND page % 9 = 0")
    ranks = rows(
        store,
        "SELECT page.id, as_site_sees, as_web_sees FROM ranks JOIN page USING (url) WHERE as_site_sees > 0",
    )
    site, web = (len(ranks) / sum(each[column] for each in ranks) for column in (1, 2))
    times = {page: web * by_web / (site * by_site) for page, by_site, by_web in ranks
             if max(site * by_site, web * by_web) >= 1}  # fmt: skip
    async with client_of(store) as client:
        page = LexborHTMLParser(await get(client, "/ranks"))
    assert page.css_first(".dots").attributes["d"].count("M") == len(ranks)  # type: ignore[union-attr]
    listed = {
        heading.text(): [int(str(link.attributes["href"]).rpartition("/")[2]) for link in movers.css("a")]
        for heading, movers in zip(page.css("section h2"), page.css("ol.movers"), strict=True)
    }
    raised, lowered = (listed.get(f"Ranked {which} by the web", []) for which in ("higher", "lower"))
    moved = sorted(times, key=lambda each: (-times[each], each))
    assert raised == [each for each in moved if times[each] > 1.1][:8]
    assert len(raised) > 1
    assert lowered
    assert set(lowered) == {each for each in moved[-8:] if times[each] < 1 / 1.1}


async def test_a_store_without_ranks_says_what_makes_them(crawled_store: Path, tmp_path: Path) -> None:

    store = tmp_path / "bare.db"
    shutil.copy(crawled_store, store)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DELETE FROM rank")
    async with client_of(store) as client:
        assert "rank stores both" in shown(await get(client, "/ranks"))
