"""Counts and reports errors of the crawler itself that spoil a single visit. Pure."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Final

from hinterland.crawler.fetching.access.hidden_values import HIDDEN_VALUES

_MOST_IN_A_ROW: Final = 30
_HOSTS: Final = 3
"""If many internal errors in a row span this many hosts, no single page is at fault, and the crawl ends."""
_MAX_CHARACTERS: Final = 300


class InternalErrors:
    """Counts internal errors, in total and in a row. Mutable."""

    def __init__(self, told: Callable[[str, Exception], None] = lambda where, error: None) -> None:
        """`told` is called with the place of an error, such as a URL, and with the error and its traceback."""
        self._told = told
        self._in_a_row = 0
        self._hosts = set[int]()
        self._has_succeeded = False
        self.count = 0

    def note(self, where: str, host: int, error: Exception) -> str:
        """Count and report an error; return it in words.

        Raises the error instead if too many visits in a row have ended with errors, and either these were at several
        hosts or no page has been read yet.
        """
        self.tell(where, error)
        self._in_a_row += 1
        self._hosts.add(host)
        is_everywhere = len(self._hosts) >= _HOSTS or not self._has_succeeded
        if self._in_a_row >= _MOST_IN_A_ROW and is_everywhere:
            error.add_note(f"{self._in_a_row} visits in a row ended with an internal error, the last one to {where}")
            raise error
        return in_words(error)

    def tell(self, where: str, error: Exception) -> None:
        """Count and report an error that ends neither a visit nor the crawl."""
        self.count += 1
        self._told(where, error)

    def ended_well(self) -> None:
        """Note that a visit ended without an error."""
        if self._in_a_row:
            self._in_a_row = 0
            self._hosts.clear()
        self._has_succeeded = True


def in_words(error: BaseException) -> str:
    """Return an error's text and its place in the program, as one line that any store can hold."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno})" if frames else ""
    said = HIDDEN_VALUES.hide(" ".join(f"{type(error).__name__}: {error}".split()))[:_MAX_CHARACTERS]
    return (said + place).encode("utf-8", "backslashreplace").decode()
