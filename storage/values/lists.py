"""Values for reading the pages, links and failures of a store in portions. Plain values; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hinterland.storage.values.pages import ListedPage, NamedPage


@dataclass(frozen=True, slots=True)
class PageList:
    """A portion of the pages.

    `next_after` is where to continue, None at the end. More may follow even if `pages` is empty, since only a limited
    number of pages is examined for one answer.
    """

    pages: Sequence[ListedPage]
    next_after: int | None


@dataclass(frozen=True, slots=True)
class LinkBetween:
    """A link between two pages, given by number and URL; `anchor` is its first text on the page."""

    source: int
    source_url: str
    target: int
    target_url: str
    kind: str
    is_nofollow: bool
    anchor: str


@dataclass(frozen=True, slots=True)
class LinkList:
    """A portion of the links; `next_after` is where to continue, None at the end."""

    links: Sequence[LinkBetween]
    next_after: str | None


@dataclass(frozen=True, slots=True)
class Failure:
    """A page whose last visit failed, with the result of this visit.

    `retry_at` is None if the page is not to be retried. `referrer` is the page on which the first link to this page was
    found, None for a seed. Times are epoch seconds.
    """

    page: NamedPage
    outcome: str
    status: int | None
    detail: str
    attempt: int
    retry_at: float | None
    visited_at: float
    referrer: NamedPage | None


@dataclass(frozen=True, slots=True)
class FailureList:
    """A portion of the failures; `next_after` is where to continue, None at the end."""

    failures: Sequence[Failure]
    next_after: int | None
