"""The URLs of pages that are about to be visited: the newest from memory, the rest from the store in batches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

_MOST = 50_000
_MOST_CHARACTERS = 4_000_000
"""As many as 50,000 usual URLs have, or 2,000 URLs of the greatest length."""


class PageUrls:
    """A bounded cache of the URLs found last and those read ahead; it forgets the oldest that are in the store."""

    def __init__(
        self,
        read: Callable[[Sequence[int]], Awaitable[dict[int, str]]],
        *,
        most: int = _MOST,
        most_characters: int = _MOST_CHARACTERS,
    ) -> None:
        """`read` returns URLs from the store; the bounds are for kept URLs that the store has already."""
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
        """Note that all pages with numbers below `below` are in the store; forget the oldest if there are too many."""
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
        """Remove and return the URL of a page that is being visited, if it is in memory."""
        return self._forget(page)

    async def read(self, page: int, ahead: Sequence[int]) -> str:
        """Return the URL of a page from the store, reading some others in the same query."""
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
