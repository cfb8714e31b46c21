"""A table of pages: which are wanted, in which order, and a portion of them. Plain values; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PAGE_ORDERS = ("number", "url", "status", "size", "seconds", "fetched", "depth")
"""By what pages can be sorted; the first two have an index."""
STREAMED_ORDERS = ("number", "url")

Span = tuple[float | None, float | None]
"""The lowest and the highest that is wanted, both included; None: no bound."""
NO_STATUS: Span = (0, 0)
"""Of pages that were visited and gave no HTTP status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """Which pages are wanted; "", None and a Span of two None stand for any.

    host: its number. statuses: HTTP status, NO_STATUS for those without; content_type: what it begins with, in small
    letters; sizes: bytes of the decoded body; seconds: what the visit took; fetched: when it began. is_untitled: HTML
    pages that have no title.
    """

    state: str = ""
    outcome: str = ""
    is_local: bool | None = None
    host: int | None = None
    statuses: Span = (None, None)
    content_type: str = ""
    depths: Span = (None, None)
    sizes: Span = (None, None)
    seconds: Span = (None, None)
    fetched: Span = (None, None)
    is_untitled: bool = False


@dataclass(frozen=True, slots=True)
class PageTableRow:
    """What a visit would have told is None before the first one."""

    number: int
    url: str
    title: str | None
    state: str
    is_local: bool
    depth: int
    outcome: str | None
    status: int | None
    content_type: str | None
    body_bytes: int | None
    seconds: float | None
    fetched_at: float | None


@dataclass(frozen=True, slots=True)
class PageTable:
    """Some of the pages that are wanted, in the order that is wanted.

    next_after: the page to be given as `after` for those that follow, None at the end; there can be more also if none
    is listed. sorted_among: how many pages were looked at and sorted, None if the order is that of all. next_start:
    where the pages begin that were not looked at, to be given as `start`; None if there are none.
    """

    rows: Sequence[PageTableRow]
    next_after: int | None
    sorted_among: int | None = None
    next_start: int | None = None
