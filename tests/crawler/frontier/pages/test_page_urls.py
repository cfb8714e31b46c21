"""The URLs of waiting pages: at hand while they are new, read in batches once they are old."""

from __future__ import annotations

from collections.abc import Sequence

from hinterland.crawler.frontier.pages.page_urls import PageUrls


class Store:
    """Pages below `size` are stored; remembers what was read."""

    def __init__(self, size: int = 1000) -> None:
        self.size = size
        self.reads: list[list[int]] = []

    async def read(self, pages: Sequence[int]) -> dict[int, str]:
        self.reads.append(list(pages))
        return {page: url(page) for page in pages if page < self.size}


def url(page: int) -> str:
    return f"http://a.test/{page}"


async def test_what_was_found_just_now_is_at_hand_once() -> None:
    urls = PageUrls(Store().read)
    urls.remember(7, url(7))
    assert urls.take(7) == url(7)
    assert urls.take(7) is None


async def test_a_page_is_read_with_those_that_come_soon() -> None:
    store = Store()
    urls = PageUrls(store.read)
    urls.remember(4, url(4))
    assert await urls.read(2, [2, 3, 4, 5]) == url(2)
    assert store.reads == [[2, 3, 5]]
    assert [urls.take(page) for page in (2, 3, 4, 5)] == [None, url(3), url(4), url(5)]


async def test_pages_read_ahead_that_the_store_lacks_are_left_out() -> None:
    urls = PageUrls(Store(size=3).read)
    assert await urls.read(2, [9]) == url(2)
    assert urls.take(9) is None


SMALL = 100


async def test_memory_is_bounded_and_the_newest_stay() -> None:
    urls = PageUrls(Store().read, most=SMALL)
    for page in range(1000):
        urls.remember(page, url(page))
        urls.stored(page + 1)
        assert len(urls._urls) <= SMALL
    assert urls.take(999) == url(999)
    assert urls.take(0) is None


async def test_what_is_not_stored_yet_is_never_forgotten() -> None:
    urls = PageUrls(Store().read, most=SMALL)
    for page in range(3 * SMALL):
        urls.remember(page, url(page))
    urls.stored(50)
    assert [page for page in range(3 * SMALL) if urls.take(page) is None] == list(range(50))


async def test_that_pages_are_stored_is_not_taken_back() -> None:
    urls = PageUrls(Store().read, most=SMALL)
    for page in range(2 * SMALL):
        urls.remember(page, url(page))
    urls.stored(2 * SMALL)
    assert len(urls._urls) == 75
    urls.stored(10)
    assert urls.take(2 * SMALL - 1) is not None


async def test_long_urls_are_forgotten_before_they_are_many() -> None:
    urls = PageUrls(Store().read, most_characters=1000)
    for page in range(50):
        urls.remember(page, url(page).ljust(100, "x"))
        urls.remember(page, url(page).ljust(100, "y"))  # tried again: it counts once
        urls.stored(page + 1)
        assert len(urls._urls) <= 10
    assert urls.take(49) == url(49).ljust(100, "y")
    assert urls.take(0) is None


async def test_urls_taken_or_read_ahead_count_for_the_bound_as_long_as_they_are_kept() -> None:
    urls = PageUrls(Store().read, most_characters=len(url(0)) * 4)
    for page in range(9):
        urls.remember(page, url(page))
        assert urls.take(page) == url(page)
    await urls.read(0, [1, 2, 3])
    urls.stored(9)
    assert [page for page in range(9) if urls.take(page)] == [1, 2, 3]
    await urls.read(0, [1, 2, 3, 4, 5])
    urls.stored(9)
    assert [page for page in range(9) if urls.take(page)] == [3, 4, 5]
