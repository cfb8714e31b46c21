"""Queries of users who browse a store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import uvloop

from hinterland.storage.link_store import LinkStore
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.schema import LINK_KINDS
from hinterland.storage.values.records import DiscoveriesRecord, EstimateRecord, LinkColumns, RankRecord
from tests.storage.reading.test_reader import HOSTS, PAGES, visit

REFRESHES = 50


async def make(path: Path) -> None:
    every = len(LINK_KINDS)
    links = LinkColumns(
        [1] * every + [2, 3],
        bytes([*range(every), 0, 1]),
        bytes([0] * (every + 1) + [1]),
        [f"by {kind}" for kind in LINK_KINDS] + ["two", "three"],
    )
    async with LinkStore(path) as store:
        run = await store.begin_run(["crawl"], '{"scope": {}}', 1.0)
        await store.write(
            [
                DiscoveriesRecord(HOSTS, PAGES),
                visit(1, 0, "fetched", "fetched", links=links, body_hash=b"same", title="Home"),
                visit(2, 1, "fetched", "fetched", body_hash=b"same", canonical=0),
                visit(3, 2, "client_error", "failed", status=404),
                *(EstimateRecord(3, 2, each, "x", None, None, 0.1, float(each), b"") for each in range(REFRESHES)),
                RankRecord("local", [0, 1], [0.25, 0.75]),
                RankRecord("x", [0, 1], [0.5, 0.5]),
                RankRecord("y", [0, 1], [0.9, 0.1]),
            ]
        )
        await store.end_run(run, "stopped", {}, 9.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[StoreReader]:
    uvloop.run(make(tmp_path / "store.db"))
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        yield StoreReader(tmp_path / "store.db", connection)


def test_a_page_names_those_it_points_to(store: StoreReader) -> None:
    page = store.pages.page(1)
    assert page is not None
    assert page.canonical is not None
    assert page.canonical.title == "Home"
    assert store.pages.page(99) is None
    assert store.pages.number_of("https://a.example/2") == 2
    assert store.pages.number_of("https://a.example/3") is None


@pytest.mark.parametrize("limit", [1, 2, 9, 10, 11, 12])
def test_portions_of_links_lose_none_and_keep_those_to_one_page_together(store: StoreReader, limit: int) -> None:
    seen, after = [], -1
    while True:
        portion = store.links.outlinks(0, after, limit)
        assert portion.total == len(LINK_KINDS) + 2
        assert portion.links
        seen += [(link.page.number, link.kind) for link in portion.links]
        if portion.next_after is None:
            break
        after = portion.next_after
    assert seen == [*((1, kind) for kind in LINK_KINDS), (2, "a"), (3, "area")]


def test_inlinks_are_seen_from_the_other_end(store: StoreReader) -> None:
    assert store.links.knows_inlinks
    [link] = store.links.inlinks(3, -1, 10).links
    assert (link.page.title, link.anchor, link.is_nofollow, link.state) == ("Home", "three", True, "fetched")


def test_ranks_are_those_of_the_last_estimate_with_their_places(store: StoreReader) -> None:
    ranks = store.ranks.of_page(0, store.ranks.count(store.ranks.estimator()))
    assert ranks is not None
    assert (ranks.estimator, ranks.site_place, ranks.web_place, ranks.pages) == ("x", 2, 1, 2)
    assert ranks.ratio == 2.0
    assert store.ranks.of_page(2, 2) is None


def test_a_history_is_bounded_and_keeps_its_ends(store: StoreReader) -> None:
    heads, refreshes = store.ranks.estimate_heads(20)
    assert refreshes == REFRESHES
    assert len(heads) == 10
    assert (heads[0].number, heads[-1].number) == (1, REFRESHES)


def test_copies_have_the_same_body(store: StoreReader) -> None:
    assert [page.number for page in store.pages.copies(0, 5) or ()] == [1]
    assert store.pages.copies(2, 5) == []


def test_copies_are_unknown_while_very_many_pages_are_unsorted(
    store: StoreReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hinterland.storage.sorted_links.reading._MOST_UNSORTED", -1)
    assert store.pages.copies(0, 5) is None


def test_the_pages_of_a_host_are_found_by_their_urls(store: StoreReader) -> None:
    host = store.hosts.host(0)
    assert host is not None
    pages = store.pages_of_hosts.summary(host)
    assert {state: count for state, count in pages.by_state.items() if count} == {"fetched": 2, "failed": 1}
    assert [(each.outcome, each.status, each.pages) for each in pages.failures] == [("client_error", 404, 1)]
    assert [each.page.number for each in pages.top] == [0, 1]
    assert [each.page.number for each in store.pages_of_hosts.listed(host, "", 0, 5).pages] == [1, 2]
    assert [each.page.number for each in store.pages_of_hosts.listed(host, "failed", -1, 5).pages] == [2]


def test_hosts_never_visited_are_listed_only_when_asked_for(store: StoreReader) -> None:
    assert [host.url for host in store.hosts.listed("name", 0, 5, only_visited=True)] == ["https://a.example"]
    assert len(store.hosts.listed("name", 0, 5, only_visited=False)) == 2
    assert store.hosts.count(only_visited=False, part="b.ex") == 1


def test_pages_are_found_by_words_of_their_titles_and_urls(store: StoreReader) -> None:
    assert store.pages.titled(["home"], 10) == [0]
    assert store.pages.titled(["a.example", "home"], 10)[0] == 0
    assert sorted(store.pages.titled(["a.example"], 10)) == [0, 1]  # what was not fetched is none of them
    assert len(store.pages.titled(["a.example"], 1)) == 1
    assert store.pages.titled(["100%_"], 10) == []
