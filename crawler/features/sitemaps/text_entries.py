"""Reads the entries of a sitemap that is a list of URLs, one per line."""

from __future__ import annotations

import re
from typing import Final

from hinterland.crawler.features.sitemaps.entries import (
    EntryKind,
    ReadingEnds,
    SitemapBounds,
    SitemapEntry,
    SitemapOutcome,
)

_URL: Final = re.compile(r"https?://\S+", re.IGNORECASE)
_BREAK: Final = re.compile(r"[\r\n]+")
_PATIENCE: Final = 1 << 18
"""If there is no URL in this many first characters, the text is not a sitemap."""


class TextEntries:
    """Takes text and appends the entries in it to `found`, which the caller empties. Mutable."""

    def __init__(self, bounds: SitemapBounds) -> None:
        """Start before the first line."""
        self.found: list[SitemapEntry] = []
        self.left_out = 0
        self._longest = bounds.max_url_characters
        self._line = ""
        self._has_entries = False
        self._characters = 0
        self.is_over = False

    def add(self, text: str) -> None:
        """Read the next piece of text. Raises ReadingEnds if it is not a list of URLs."""
        *lines, last = _BREAK.split(self._line + text)
        for line in lines:
            self._take(line.strip())
        # The part kept of a line that is too long is too long as well, so that the line is still left out.
        self._line = last.lstrip()[: self._longest + 1]
        self._characters += len(text)
        if not self._has_entries and self._characters > _PATIENCE:
            raise ReadingEnds(SitemapOutcome.NO_SITEMAP, f"its first {_PATIENCE:,} characters have no URL")

    def finish(self) -> None:
        """Read the last line. Raises ReadingEnds if there was no URL."""
        self._take(self._line.strip())
        if not self._has_entries:
            raise ReadingEnds(SitemapOutcome.NO_SITEMAP, "no line of it is a URL")

    def flush(self) -> None:
        """Do nothing, since an unfinished line may be half a URL."""

    def _take(self, line: str) -> None:
        if not line:
            return
        if len(line) <= self._longest and "\ufffd" not in line and _URL.fullmatch(line):
            self._has_entries = True
            self.found.append(SitemapEntry(line, None, EntryKind.PAGE))
            return
        self.left_out += 1
