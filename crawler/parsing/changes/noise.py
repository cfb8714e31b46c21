"""Words that differ from one answer to the next although nobody changed the page: clocks, counters, tokens. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_CLOCK: Final = re.compile(r"T?\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[ap]m|[+-]\d{2}:?\d{2})?", re.IGNORECASE)
_ISO_TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}\S*")
_TOKEN: Final = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[A-Za-z0-9_+/=-]{16,}|[0-9a-f]{12,}|[0-9A-F]{12,}")
_NUMBER: Final = re.compile(r"[~≈]?\d+(?:[.,]\d+)*(?:%|ms|s|k|M)?")
_DATE_WORD: Final = re.compile(
    r"\d{1,2}(?:st|nd|rd|th)?|\d{4}|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|[ap]m|gmt|utc|cet|cest|[ecmp][sd]t"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*",
    re.IGNORECASE,
)
_OF_COUNTERS: Final = frozenset(
    {
        *("view", "views", "visit", "visits", "visitor", "visitors", "hit", "hits", "online", "user", "users"),
        *("guest", "guests", "member", "members", "reader", "readers", "second", "seconds", "sec", "ms"),
        *("millisecond", "milliseconds", "minute", "minutes", "hour", "hours", "ago", "left", "remaining", "quer"),
        *("query", "queries", "download", "downloads", "like", "likes", "share", "shares", "follower"),
        *("followers", "request", "requests"),
    }
)
"""Beside one of these words a number counts what goes on, or how long the answer took."""
_OF_CLOCKS: Final = frozenset(
    {
        *("generated", "rendered", "served", "built", "retrieved", "accessed", "loaded", "fetched", "now"),
        *("today", "time", "current", "currently", "printed", "session", "request", "updated-at"),
    }
)
"""Shortly after one of these words a date is that of the answer."""
_NEAR: Final = 2
_SOON: Final = 6
_PUNCTUATION: Final = ".,;:!?()[]{}<>|·•–—-\"'“”‘’#*"


def without_noise(words: Sequence[str], before: Sequence[str], after: Sequence[str]) -> list[str]:
    """A passage of a page without what is noise in it, given some words before and after."""
    line = [_bare(word) for word in (*before, *words, *after)]
    first = len(before)
    has_clock = any(_CLOCK.fullmatch(word) or _ISO_TIME.fullmatch(word) for word in line)
    return [
        word
        for place, word in enumerate(words, first)
        if not _is_noise(line, place, has_clock=has_clock)
    ]


def _is_noise(line: Sequence[str], place: int, *, has_clock: bool) -> bool:
    word = line[place]
    if not word or _CLOCK.fullmatch(word) or _ISO_TIME.fullmatch(word) or _TOKEN.fullmatch(word):
        return True
    if _NUMBER.fullmatch(word) and any(near.lower() in _OF_COUNTERS for near in _around(line, place, _NEAR)):
        return True
    if not _DATE_WORD.fullmatch(word):
        return False
    return has_clock or any(near.lower() in _OF_CLOCKS for near in line[max(place - _SOON, 0) : place])


def _around(line: Sequence[str], place: int, reach: int) -> list[str]:
    return [*line[max(place - reach, 0) : place], *line[place + 1 : place + 1 + reach]]


def _bare(word: str) -> str:
    return word.strip(_PUNCTUATION)
