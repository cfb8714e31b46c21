"""The files that a feature has wanted so far, counted by their cause, such as a page or a host. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from hinterland.crawler.urls.url_table import UrlTable

Cause = TypeVar("Cause", bound=Hashable)


class KnownFiles(Generic[Cause]):
    """Maps the URLs of files to numbers, from 0, and counts the files of each cause, such as a page or a host. Mutable.

    Keeps about 12 bytes a file, not the URLs.
    """

    def __init__(self, most: int, known: Iterable[tuple[str, Cause | None]] = ()) -> None:
        """Start with the known files, each with its cause, in the order of their numbers.

        At most `most` files of one cause are added. Files without a cause are not counted.
        """
        self._most = most
        self._of_cause = Counter[Cause]()
        self._numbers = UrlTable()
        urls: list[str] = []
        for url, cause in known:
            urls.append(url)
            if cause is not None:
                self._of_cause[cause] += 1
        self._numbers.add_all(urls, 0)

    def find(self, url: str) -> int | None:
        """Return the number of a file; None if it is not known."""
        number = self._numbers.find(url)
        return None if number < 0 else number

    def add(self, url: str, cause: Cause) -> int | None:
        """Add a file that is not known, and return its number; return None if its cause already has too many files."""
        if self._of_cause[cause] >= self._most:
            return None
        self._of_cause[cause] += 1
        return self.add_uncounted(url)

    def add_uncounted(self, url: str) -> int:
        """Add a file that is not known and has no cause; return its number."""
        number = len(self._numbers)
        self._numbers.add(url, number)
        return number
