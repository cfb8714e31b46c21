"""Recognises words that differ between responses although the page has not changed: times, counters, tokens. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_CLOCK: Final = re.compile(r"\d{1,2}:\d{2}(?:Z|[ap]m|[+-]\d{2}:?\d{2})?", re.IGNORECASE)
_EXACT_TIME: Final = re.compile(
    r"(?:\d{4}-\d{2}-\d{2}T\d{2}:\d{2}\S*|T?\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[ap]m|[+-]\d{2}:?\d{2})?)",
    re.IGNORECASE,
)
"""A time with seconds, as programs write it."""
_TOKEN: Final = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[A-Za-z0-9_+/=-]{16,}|[0-9a-f]{12,}|[0-9A-F]{12,}")
_SHORT_TOKEN: Final = re.compile(r"(?=[^\s]*\d)[0-9A-Za-z._:-]{7,}")
_NUMBER: Final = re.compile(r"[~≈]?\d+(?:[.,]\d+)*(?:%|ms|s|m|h|k|M)?")
_DURATION: Final = re.compile(r"\d+(?:[.,]\d+)*(?:ms|s|m|h)")
_UNIX_TIME: Final = re.compile(r"1\d{9}(?:\d{3})?")
_DATE_WORD: Final = re.compile(
    r"\d{1,2}(?:st|nd|rd|th)?|\d{4}|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|[ap]m|gmt|utc|cet|cest|[ecmp][sd]t|[+-]\d{4}"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*",
    re.IGNORECASE,
)
_OF_COUNTERS: Final = frozenset(
    {
        *("view", "views", "viewed", "visit", "visits", "visited", "visitor", "visitors", "hit", "hits", "online"),
        *("user", "users", "guest", "guests", "member", "members", "reader", "readers", "follower", "followers"),
        *("second", "seconds", "sec", "ms", "millisecond", "milliseconds", "minute", "minutes", "hour", "hours", "ago"),
        *("left", "remaining", "query", "queries", "request", "requests", "download", "downloads", "downloaded"),
        *("like", "likes", "share", "shares", "comment", "comments", "reply", "replies", "vote", "votes"),
        *("people", "reading", "rating", "ratings", "star", "stars", "fork", "forks", "watching"),
        *("subscriber", "subscribers"),
    }
)
"""A number next to one of these words is a counter, or says how long the response took."""
_OF_CLOCKS: Final = frozenset(
    {
        *("generated", "rendered", "served", "built", "retrieved", "accessed", "loaded", "fetched", "now", "today"),
        *("time", "current", "currently", "printed", "session", "request", "updated", "updated-at", "modified"),
        *("revised", "revision", "$date", "timestamp", "cached"),
    }
)
"""A date shortly after one of these words is the date of the response, or of a program's last run."""
_OF_TOKENS: Final = frozenset(
    {"id", "ray", "reference", "incident", "trace", "request", "session", "nonce", "token", "build", "etag"}
)
"""A word with digits after one of these words identifies the response."""
_NEAR: Final = 2
_SOON: Final = 6
_PUNCTUATION: Final = ".,;:!?()[]{}<>|·•–—-\"'“”‘’#*"


def without_noise(words: Sequence[str], before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return the words of a passage that are not noise, given some words before and after it."""
    line = [_bare(word) for word in (*before, *words, *after)]
    first = len(before)
    is_exact = any(_EXACT_TIME.fullmatch(word) for word in line)
    return [word for place, word in enumerate(words, first) if not _is_noise(line, place, is_exact=is_exact)]


def _is_noise(line: Sequence[str], place: int, *, is_exact: bool) -> bool:
    """Return whether the word at `place` is noise.

    `is_exact` says that the line contains a time to the second.
    """
    word = line[place]
    if not word or _EXACT_TIME.fullmatch(word) or _TOKEN.fullmatch(word):
        return True
    if _NUMBER.fullmatch(word) and not _OF_COUNTERS.isdisjoint(map(str.lower, _around(line, place, _NEAR))):
        return True
    if _SHORT_TOKEN.fullmatch(word) and not _OF_TOKENS.isdisjoint(map(str.lower, line[max(place - _NEAR, 0) : place])):
        return True
    if _CLOCK.fullmatch(word):
        return is_exact or not _OF_CLOCKS.isdisjoint(map(str.lower, _around(line, place, _SOON)))
    if _DURATION.fullmatch(word) or _UNIX_TIME.fullmatch(word):
        return not _OF_CLOCKS.isdisjoint(map(str.lower, line[max(place - _SOON, 0) : place]))
    if not _DATE_WORD.fullmatch(word):
        return False
    return is_exact or not _OF_CLOCKS.isdisjoint(map(str.lower, line[max(place - _SOON, 0) : place]))


def _around(line: Sequence[str], place: int, reach: int) -> list[str]:
    return [*line[max(place - reach, 0) : place], *line[place + 1 : place + 1 + reach]]


def _bare(word: str) -> str:
    return word.strip(_PUNCTUATION)
