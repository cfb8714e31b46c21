"""Looking around in a store: what is in bounds comes whole, what is not says so, and lists lose nothing."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hinterland.storage.link_store import LinkStore
from hinterland.storage.reading import pages_of_hosts
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.schema import LINK_KINDS

HOST = "http://a.test"


async def _made(path: Path) -> None:
    async with LinkStore(path):
        pass


@pytest.fixture
def store(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """An empty store with the host 0."""
    path = tmp_path / "store.db"
    asyncio.run(_made(path))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO host (id, url, site) VALUES (0, ?, 'a.test')", (HOST,))
        yield connection


def add_page(
    store: sqlite3.Connection,
    number: int,
    path: str = "",
    *,
    state: str = "fetched",
    title: str = "",
    headings: str | None = None,
) -> None:
    url = f"{HOST}/{path or f'{number:05}'}"
    store.execute("INSERT INTO page VALUES (?, ?, 0, ?, 1, 1, NULL, 0)", (number, url, state))
    store.execute(
        "INSERT INTO fetch (page, visit, outcome, attempt, started_at, seconds, title) VALUES (?, ?, ?, 1, 0, 0, ?)",
        (number, number + 1, "fetched" if state == "fetched" else "client_error", title),
    )
    if headings is not None:
        store.execute("INSERT INTO content (page, headings) VALUES (?, ?)", (number, headings))


def listed(store: sqlite3.Connection, state: str, limit: int) -> tuple[list[int], int]:
    """Return the pages of the host from all its portions, and the number of portions."""
    browser = StoreReader(Path(), store)
    host = browser.hosts.host(0)
    assert host is not None
    numbers, after, portions = list[int](), -1, 0
    while True:
        portion = browser.pages_of_hosts.listed(host, state, after, limit)
        numbers += [each.page.number for each in portion.pages]
        portions += 1
        assert len(portion.pages) <= limit
        if portion.next_after is None:
            return numbers, portions
        after = portion.next_after


def test_a_title_of_megabytes_is_cut_to_its_beginning(store: sqlite3.Connection) -> None:
    add_page(store, 0, title="T" * 3_000_000)
    add_page(store, 1)
    store.execute("INSERT INTO link VALUES (1, 0, 0, 0, 'there')")
    browser = StoreReader(Path(), store)
    page = browser.pages.page(0)
    assert page is not None
    [link] = browser.links.outlinks(1, -1, 25).links
    [named] = browser.pages.named([0]).values()
    for title in (page.title, link.page.title, named.title):
        assert title == "T" * 1_000 + "…"


def test_a_title_that_is_in_bounds_stays_as_it_is(store: sqlite3.Connection) -> None:
    add_page(store, 0, title="é" * 1_000)
    page = StoreReader(Path(), store).pages.page(0)
    assert page is not None
    assert page.title == "é" * 1_000


@pytest.mark.slow
def test_of_very_many_headings_the_first_are_returned_and_the_others_counted(store: sqlite3.Connection) -> None:
    add_page(store, 0, headings=json.dumps([[2, f"heading {number}"] for number in range(50_000)]))
    text = StoreReader(Path(), store).pages.text(0)
    assert text is not None
    assert text.headings[:2] == [(2, "heading 0"), (2, "heading 1")]
    assert len(text.headings) + text.headings_left_out == 50_000
    assert len(text.headings) == 500


@pytest.mark.slow
@pytest.mark.parametrize("headings", ["no JSON", "[", '[["a", 1]]', "[null]", "[[]]", "{}", "3"])
def test_headings_that_no_crawl_wrote_hide_nothing_else(store: sqlite3.Connection, headings: str) -> None:
    add_page(store, 0, headings=headings)
    text = StoreReader(Path(), store).pages.text(0)
    assert text is not None
    assert bool(text.problem) == (headings in ("no JSON", "["))


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1, 2, 3, 9, 10, 27, 100])
def test_links_of_all_kinds_between_two_pages_are_on_one_portion_and_none_is_lost(
    store: sqlite3.Connection, limit: int
) -> None:
    for number in range(4):
        add_page(store, number)
    wanted = [(target, kind) for target in range(1, 4) for kind in range(len(LINK_KINDS))]
    store.executemany("INSERT INTO link VALUES (0, ?, ?, 0, '')", wanted)
    browser, after, found = StoreReader(Path(), store), -1, list[tuple[int, str]]()
    while True:
        portion = browser.links.outlinks(0, after, limit)
        assert not {link.page.number for link in portion.links} & {number for number, _ in found}
        found += [(link.page.number, link.kind) for link in portion.links]
        assert portion.total == len(wanted)
        if portion.next_after is None:
            break
        after = portion.next_after
    assert found == [(target, LINK_KINDS[kind]) for target, kind in wanted]


@pytest.mark.slow
@pytest.mark.parametrize("state", ["", "fetched", "failed", "refused"])
@pytest.mark.parametrize("limit", [1, 3, 20, 50])
def test_the_pages_of_a_host_are_listed_once_each_however_few_are_examined_for_one_portion(
    store: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, state: str, limit: int
) -> None:
    states = {number: "failed" if number % 7 == 3 else "fetched" for number in range(20)}
    for number, each in states.items():
        add_page(store, number, f"{(number * 3) % 20:03}", state=each)
    wanted = sorted((number for number in states if state in ("", states[number])), key=lambda n: (n * 3) % 20)
    for looked_at in (1, 4, 20, 21):
        monkeypatch.setattr(pages_of_hosts, "_MOST_EXAMINED", looked_at)
        assert listed(store, state, limit)[0] == wanted


def test_hosts_whose_names_begin_alike_keep_their_pages_apart(store: sqlite3.Connection) -> None:
    store.execute("INSERT INTO host (id, url, site) VALUES (1, ?, 'a.test')", (f"{HOST}:8080",))
    add_page(store, 0)
    store.execute("INSERT INTO page VALUES (1, ?, 1, 'known', 1, 1, NULL, 0)", (f"{HOST}:8080/",))
    assert listed(store, "", 10)[0] == [0]
