"""The URLs of pages about to be visited, from memory if found recently, otherwise from the store in batches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

_MOST = 50_000
_MOST_CHARACTERS = 4_000_000
"""The maximum number of characters of cached URLs: 50,000 typical URLs, or 2,000 URLs of maximum length."""


class PageUrls:
    """A bounded cache of URLs recently found or read ahead. If full, it forgets the oldest URLs that the store has."""

    def __init__(
        self,
        read: Callable[[Sequence[int]], Awaitable[dict[int, str]]],
        *,
        most: int = _MOST,
        most_characters: int = _MOST_CHARACTERS,
    ) -> None:
        """Begin with an empty cache.

        `read` returns the URLs of pages from the store. The cache holds at most about `most` URLs of `most_characters`
        characters in all.
        """
        self._read = read
        self._most = most
        self._most_characters = most_characters
        self._urls: dict[int, str] = {}
        self._characters = 0
        self._stored_below = 0
        self.reads = 0

    def remember(self, page: int, url: str) -> None:
        """Keep the URL of a page."""
        self._forget(page)
        self._urls[page] = url
        self._characters += len(url)

    def stored(self, below: int) -> None:
        """Note that all pages with numbers below `below` are in the store; forget the oldest if too many are cached."""
        self._stored_below = max(self._stored_below, below)
        if self._has_room(1.0):
            return
        for page in list(self._urls):
            if page >= self._stored_below or self._has_room(0.75):
                return
            self._forget(page)

    def is_stored(self, page: int) -> bool:
        """Return whether the page is in the store."""
        return page < self._stored_below

    def take(self, page: int) -> str | None:
        """Remove and return the URL of a page about to be visited; None if it is not in memory."""
        return self._forget(page)

    async def read(self, page: int, ahead: Sequence[int]) -> str:
        """Return the URL of a page from the store, reading the URLs of the pages `ahead` in the same query."""
        self.reads += 1
        wanted = [page, *(each for each in ahead if each != page and each not in self._urls)]
        found = await self._read(wanted)
        url = found.pop(page)
        for each, of_it in found.items():
            self.remember(each, of_it)
        return url

    def _has_room(self, share: float) -> bool:
        return len(self._urls) <= share * self._most and self._characters <= share * self._most_characters

    def _forget(self, page: int) -> str | None:
        url = self._urls.pop(page, None)
        if url is not None:
            self._characters -= len(url)
        return url
