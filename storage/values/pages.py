"""Pages as the store tells of them. Plain values, no behaviour; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PAGE_STATES = ("fetched", "redirected", "waiting", "failed", "refused", "known")
"""In the order of reports."""


RENDERINGS = ("shell", "rendered", "unrendered")
"""What a page is to a browser: it would say more there; it was read as it is there; it was to be, and could not."""


@dataclass(frozen=True, slots=True)
class PageCounts:
    """Pages by state (the keys are PAGE_STATES), those of the local domain and all others."""

    local: Mapping[str, int]
    outside: Mapping[str, int]

    def of(self, state: str) -> int:
        return self.local[state] + self.outside[state]

    @property
    def total(self) -> int:
        return sum(self.local.values()) + sum(self.outside.values())


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page as others point to it."""

    number: int
    url: str
    title: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """What the store knows of one page; what a visit would have told is None before the first one."""

    number: int
    url: str
    host: str
    state: str
    is_local: bool
    depth: int
    referrer: NamedPage | None
    visit: int | None
    outcome: str | None
    detail: str | None
    attempt: int | None
    retry_at: float | None
    fetched_at: float | None
    seconds: float | None
    status: int | None
    content_type: str | None
    charset: str | None
    wire_bytes: int | None
    body_bytes: int | None
    last_modified: str | None
    redirect_target: NamedPage | None
    canonical: NamedPage | None
    title: str | None
    description: str | None
    language: str | None
    is_noindex: bool
    is_nofollow: bool
    cut: Mapping[str, int]
    """What was too much of it, and how many of those were shortened or left out."""
    rendering: str | None = None
    """One of RENDERINGS; None for a page that needs no browser."""


@dataclass(frozen=True, slots=True)
class StoredText:
    """The visible text of a page. text: its beginning; is_whole: nothing is left out.

    headings: (level, text) in the order of the page, the first 500; headings_left_out: how many more it has. problem:
    why something is missing though it should be there, or "".
    """

    text: str
    is_whole: bool
    headings: Sequence[tuple[int, str]]
    headings_left_out: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FailureReport:
    """Visits that led to no page, of one kind. retrying: how many of these pages will be tried again."""

    outcome: str
    status: int | None
    pages: int
    retrying: int
    example: str
    detail: str


@dataclass(frozen=True, slots=True)
class RenderingReport:
    """Pages of one kind of RENDERINGS. detail: of the example, why it is not all there."""

    rendering: str
    pages: int
    example: str
    detail: str


@dataclass(frozen=True, slots=True)
class HostTopPage:
    """pagerank: None where nothing is ranked; then pages come in the order of their visits."""

    page: NamedPage
    pagerank: float | None


@dataclass(frozen=True, slots=True)
class ListedPage:
    page: NamedPage
    state: str
    outcome: str | None
    status: int | None
    detail: str | None


@dataclass(frozen=True, slots=True)
class PagePortion:
    """Some pages in the order of their URLs. next_after: the number to be given for those that follow, None at the end;
    there can be more also if none is listed, since so many pages are looked at for one answer and no more.
    """

    pages: Sequence[ListedPage]
    next_after: int | None
