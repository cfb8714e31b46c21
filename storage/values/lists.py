"""Portions of all that a store holds, by number. Plain values, no behaviour; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hinterland.storage.values.pages import ListedPage, NamedPage


@dataclass(frozen=True, slots=True)
class PageList:
    """next_after: to be given for those that follow, None at the end; there can be more also if none is listed, since
    so many pages are looked at for one answer and no more.
    """

    pages: Sequence[ListedPage]
    next_after: int | None


@dataclass(frozen=True, slots=True)
class LinkBetween:
    """source, target: the numbers of the pages; anchor: the first text of this target on the page."""

    source: int
    source_url: str
    target: int
    target_url: str
    kind: str
    is_nofollow: bool
    anchor: str


@dataclass(frozen=True, slots=True)
class LinkList:
    """next_after: to be given for those that follow, None at the end."""

    links: Sequence[LinkBetween]
    next_after: str | None


@dataclass(frozen=True, slots=True)
class Failure:
    """The last visit to a page, which led to no page. retry_at: None if it is not to be tried again; referrer: whose
    link led there first, None for a seed.
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
    """next_after: to be given for those that follow, None at the end."""

    failures: Sequence[Failure]
    next_after: int | None
