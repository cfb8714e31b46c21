"""Pages as the store reports them. Plain values; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PAGE_STATES = ("fetched", "redirected", "waiting", "failed", "refused", "known")
"""The states of pages, in the order in which reports list them."""


RENDERINGS = ("shell", "rendered", "unrendered")
"""How pages that need a browser were read.

"shell" is a page that was read without a browser, but has more content in one; "rendered" was read in a browser; for
"unrendered" rendering failed.
"""


@dataclass(frozen=True, slots=True)
class PageCounts:
    """The number of pages in each of PAGE_STATES, for local pages and for all others."""

    local: Mapping[str, int]
    outside: Mapping[str, int]

    def of(self, state: str) -> int:
        """Return the number of pages in this state."""
        return self.local[state] + self.outside[state]

    @property
    def total(self) -> int:
        """The number of all pages."""
        return sum(self.local.values()) + sum(self.outside.values())


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page as its number, URL and title, the form in which other values refer to pages."""

    number: int
    url: str
    title: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """What the store knows about one page. Fields that only a visit can fill are None before the first visit."""

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
    """What exceeded a limit -> how many items were shortened or left out."""
    rendering: str | None = None
    """One of RENDERINGS; None for a page that needs no browser."""


@dataclass(frozen=True, slots=True)
class StoredContent:
    """All stored content of a page, unpacked.

    `main` says which blocks of the text are the main content (crawler/parsing/blocks), b"" if that is not known.
    `headings` is JSON, a list of [level, text, anchor]. `body` is None if it was not kept.
    """

    text: str
    main: bytes
    headings: str
    body: bytes | None


@dataclass(frozen=True, slots=True)
class StoredText:
    """The beginning of a page's visible text.

    `is_whole` tells whether the text is complete. `headings` are the first 500 headings as (level, text), in the order
    of the page; `headings_left_out` counts the others. `problem` says why stored content is missing; "" if nothing is
    missing.
    """

    text: str
    is_whole: bool
    headings: Sequence[tuple[int, str]]
    headings_left_out: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FailureReport:
    """Visits that failed in the same way; `retrying` is how many of their pages will be retried."""

    outcome: str
    status: int | None
    pages: int
    retrying: int
    example: str
    detail: str


@dataclass(frozen=True, slots=True)
class RenderingReport:
    """The pages with one result of rendering (one of RENDERINGS), and an example.

    `detail` says why the example is incomplete.
    """

    rendering: str
    pages: int
    example: str
    detail: str


@dataclass(frozen=True, slots=True)
class HostTopPage:
    """One of the most important pages of a host.

    `pagerank` is None without ranks; the pages are then in the order of their visits.
    """

    page: NamedPage
    pagerank: float | None


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page in a list, with the result of its last visit."""

    page: NamedPage
    state: str
    outcome: str | None
    status: int | None
    detail: str | None


@dataclass(frozen=True, slots=True)
class PagePortion:
    """Some pages in the order of their URLs.

    `next_after` is the page number from which to continue, None at the end. More may follow even if `pages` is empty,
    since only a limited number of pages is examined for one answer.
    """

    pages: Sequence[ListedPage]
    next_after: int | None
