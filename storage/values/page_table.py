"""A table of pages: a filter, an order and a portion. Plain values; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PAGE_ORDERS = ("number", "url", "status", "size", "seconds", "fetched", "depth")
"""The fields by which pages can be sorted; the first two have an index."""
STREAMED_ORDERS = ("number", "url")

Span = tuple[float | None, float | None]
"""The lowest and highest wanted value, both inclusive; None means no bound."""
NO_STATUS: Span = (0, 0)
"""Selects visited pages without an HTTP status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """Conditions that select pages; "", None and a Span of two Nones select any page.

    `host` is a host number. `statuses` bounds the HTTP status, with NO_STATUS for pages without a status.
    `content_type` is a prefix in lower case. `sizes` bounds the bytes of the decoded body, `seconds` the duration of
    the visit, and `fetched` its start. `is_untitled` selects HTML pages without a title.
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
    """A page in a table. Fields that only a visit can fill are None before the first visit."""

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
    """Some of the selected pages, in the requested order.

    `next_after` is the page from which to continue, None at the end; more pages may follow even if `rows` is empty.
    `sorted_among` is how many pages were examined and sorted, None if the order covers all pages. `next_start` is where
    the unexamined pages begin, None if all were examined.
    """

    rows: Sequence[PageTableRow]
    next_after: int | None
    sorted_among: int | None = None
    next_start: int | None = None
