"""The URLs of a page's links, in one piece."""

from __future__ import annotations

import tracemalloc

import msgspec
import pytest

from hinterland.crawler.parsing.html import packed_urls
from hinterland.crawler.parsing.html.packed_urls import PackedUrls


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 7])
def test_any_part_comes_out_as_it_went_in(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_urls, "URLS_A_PIECE", 3)
    urls = [f"http://a.example/{n}" for n in range(count)]
    packed = msgspec.msgpack.decode(msgspec.msgpack.encode(PackedUrls.of(urls)), type=PackedUrls)
    assert (list(packed), len(packed)) == (urls, count)
    assert packed == PackedUrls.of(urls)
    assert packed != PackedUrls.of([*urls, "http://a.example/other"])
    ends = [None, *range(-1, count + 2)]
    for start in ends:
        for stop in ends:
            assert packed[start:stop] == urls[start:stop]


def test_many_urls_take_little_more_than_their_characters() -> None:
    encoded = msgspec.msgpack.encode(PackedUrls.of([f"http://a.example/{n:020}" for n in range(20_000)]))
    tracemalloc.start()
    try:
        packed = msgspec.msgpack.decode(encoded, type=PackedUrls)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(packed) == 20_000
    assert taken < 1.05 * len(encoded)
