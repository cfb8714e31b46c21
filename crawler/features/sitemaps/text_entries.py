"""The entries of a sitemap that is a list of URLs, one a line."""

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
"""Characters before the first URL. After so many it is something else."""


class TextEntries:
    """Mutable: text in; entries gather in `found`, which the owner empties. Raises ReadingEnds."""

    def __init__(self, bounds: SitemapBounds) -> None:
        self.found: list[SitemapEntry] = []
        self.left_out = 0
        self._longest = bounds.max_url_characters
        self._line = ""
        self._has_entries = False
        self._characters = 0
        self.is_over = False

    def add(self, text: str) -> None:
        *lines, last = _BREAK.split(self._line + text)
        for line in lines:
            self._take(line.strip())
        # Of a line that is too long, what is kept is too long as well, and enough to tell that it is.
        self._line = last.lstrip()[: self._longest + 1]
        self._characters += len(text)
        if not self._has_entries and self._characters > _PATIENCE:
            raise ReadingEnds(SitemapOutcome.NO_SITEMAP, f"its first {_PATIENCE:,} characters have no URL")

    def finish(self) -> None:
        """After the last text."""
        self._take(self._line.strip())
        if not self._has_entries:
            raise ReadingEnds(SitemapOutcome.NO_SITEMAP, "no line of it is a URL")

    def flush(self) -> None:
        """Nothing: a line that was being read may be half a URL."""

    def _take(self, line: str) -> None:
        if not line:
            return
        if len(line) <= self._longest and "\ufffd" not in line and _URL.fullmatch(line):
            self._has_entries = True
            self.found.append(SitemapEntry(line, None, EntryKind.PAGE))
            return
        self.left_out += 1
