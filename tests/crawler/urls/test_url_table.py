"""URL -> page number, beside a dict."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.urls import url_table
from hinterland.crawler.urls.url_table import UrlTable


def url(n: int) -> str:
    return f"https://a.example/{n}"


def filled(count: int, capacity: int = 1) -> UrlTable:
    table = UrlTable(capacity)
    for page in range(count):
        table.add(url(page), page)
    return table


def test_an_empty_table_knows_nothing() -> None:
    table = UrlTable()
    assert len(table) == 0
    assert table.find(url(0)) == -1
    assert table.find_all([url(0), url(1)]) == [-1, -1]


@pytest.mark.parametrize("count", [1, 10, 11, 500, 20_000])
def test_every_url_is_found_however_often_the_table_grew(count: int) -> None:
    table = filled(count)
    assert len(table) == count
    assert [table.find(url(n)) for n in range(count)] == list(range(count))
    assert table.find_all(url(n) for n in range(2 * count)) == list(range(count)) + [-1] * count


def test_every_url_is_found_at_every_moment_of_growing() -> None:
    with patch.object(url_table, "_MOVED_PER_CALL", 4):
        table = UrlTable(1)
        for page in range(1500):
            table.add(url(page), page)
            checked = range(0, page + 1, max(1, page // 20))
            assert table.find_all(map(url, checked)) == [table.find(url(n)) for n in checked] == list(checked)
            assert table.find(url(page + 1)) == -1
            assert len(table) == page + 1


@given(
    st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 400), max_size=60)), max_size=40),
    st.integers(1, 40),
    st.integers(1, 40),
)
def test_the_table_agrees_with_a_dict(steps: list[tuple[bool, list[int]]], moved_per_call: int, bulk: int) -> None:
    with patch.object(url_table, "_MOVED_PER_CALL", moved_per_call), patch.object(url_table, "_BULK", bulk):
        table, model = UrlTable(1), dict[str, int]()
        for at_once, numbers in steps:
            urls = [url(n) for n in numbers]
            assert table.find_all(urls) == [model.get(each, -1) for each in urls]
            new = list(dict.fromkeys(each for each in urls if each not in model))
            if at_once:
                table.add_all(new, len(model))
            for each in new:
                if not at_once:
                    table.add(each, len(model))
                model[each] = len(model)
            assert len(table) == len(model)
        assert table.find_all(model) == list(model.values())


def test_adding_many_at_once_to_a_small_table_finds_them_all() -> None:
    table = UrlTable(1)
    table.add_all([url(n) for n in range(10_000)], 0)
    assert table.find_all(url(n) for n in range(10_001)) == [*range(10_000), -1]


def test_fingerprints_that_begin_alike_do_not_meet() -> None:
    class Text(str):
        """A string whose hash differs from others in the highest bits only, so all want the same slot."""

        __slots__ = ()

        def __hash__(self) -> int:
            return int(self[1:]) << 40

        __eq__ = str.__eq__

    table = UrlTable(1)
    texts = [Text(f"/{n}") for n in range(200)]
    table.add_all(texts, 0)
    assert table.find_all(texts) == list(range(200))
    assert table.find(Text("/200")) == -1


def test_a_slot_takes_twelve_bytes_and_at_least_a_fifth_of_them_is_in_use() -> None:
    table = filled(20_000)
    assert 12 * 20_000 < table.memory_bytes() <= 5 * 12 * 20_000


def test_many_urls_at_once_share_their_slots_as_one_by_one() -> None:
    table = UrlTable(1)
    table.reserve(30_000)
    for first in range(0, 30_000, 10_000):
        table.add_all([url(n) for n in range(first, first + 10_000)], first)
    size = table.memory_bytes()
    table.add(url(30_000), 30_000)
    assert table.find_all(url(n) for n in range(30_002)) == [*range(30_001), -1]
    assert table.memory_bytes() == size
    assert len(table) == 30_001
