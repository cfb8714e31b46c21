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


def filled(count: int) -> UrlTable:
    table = UrlTable()
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
    assert table.find_all([url(n) for n in range(2 * count)]) == list(range(count)) + [-1] * count


def test_every_url_is_found_at_every_moment_of_growing() -> None:
    table = UrlTable()
    for page in range(1500):
        table.add(url(page), page)
        checked = range(0, page + 1, max(1, page // 20))
        assert table.find_all([url(n) for n in checked]) == list(checked)
        assert table.find(url(page + 1)) == -1
        assert len(table) == page + 1


def test_a_large_segment_grows_by_little() -> None:
    class Text(str):
        """A string whose hash has the same first bits as the others, so all are in one segment."""

        __slots__ = ()

        def __hash__(self) -> int:
            return str.__hash__(self) & (1 << 54) - 1

        __eq__ = str.__eq__

    table = UrlTable()
    empty = table.memory_bytes()
    texts = [Text(f"/{n}") for n in range(3_000)]
    for page, text in enumerate(texts):
        table.add(text, page)
        if page > 1_200:  # in a small segment, chance may let it grow early
            assert table.memory_bytes() - empty < 10 * page / 0.65
    assert table.find_all(texts) == list(range(3_000))
    assert table.find(Text("/3000")) == -1


@given(
    st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 400), max_size=60)), max_size=40),
    st.integers(1, 40),
    st.integers(1, 40),
)
def test_the_table_agrees_with_a_dict(steps: list[tuple[bool, list[int]]], bulk: int, gathered: int) -> None:
    with patch.multiple(url_table, _BULK=bulk, _FEWEST_GATHERED=gathered, _RECENT=gathered):
        table, model = UrlTable(), dict[str, int]()
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
        assert table.find_all(list(model)) == list(model.values())


def test_adding_many_at_once_to_a_small_table_finds_them_all() -> None:
    table = UrlTable()
    table.add_all([url(n) for n in range(10_000)], 0)
    assert table.find_all([url(n) for n in range(10_001)]) == [*range(10_000), -1]


def test_urls_with_one_tag_are_told_apart_by_the_rest_of_their_fingerprints() -> None:
    class Text(str):
        """A string whose hash differs from others in the lowest bits only, so all want the same slot."""

        __slots__ = ()

        def __hash__(self) -> int:
            return 5 << 30 | int(self[1:])

        __eq__ = str.__eq__

    table = UrlTable()
    texts = [Text(f"/{n}") for n in range(200)]
    table.add_all(texts, 0)
    assert table.find_all(texts) == list(range(200))
    assert table.find(Text("/200")) == -1


def test_a_url_takes_some_twelve_bytes() -> None:
    with patch.object(url_table, "_SMALL", 0):
        table = UrlTable()
        table.add_all([url(n) for n in range(100_000)], 0)
        assert table.find(url(7)) == 7
        assert 10 * 100_000 < table.memory_bytes() < 14 * 100_000
