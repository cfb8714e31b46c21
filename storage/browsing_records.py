"""What pages that show a store are made of: plain values, no behaviour. Times are epoch seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HOST_ORDERS = ("pages", "failures", "rest", "name")
"""How lists of hosts can be ordered: by visits, failures in a row, the time of the next fetch, or URL."""


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page as others point to it."""

    number: int
    url: str
    title: str | None


@dataclass(frozen=True, slots=True)
class PageView:
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
class ShownLink:
    """A link, seen from one of its ends: `page` is the other one."""

    page: NamedPage
    state: str
    kind: str
    anchor: str
    is_nofollow: bool


@dataclass(frozen=True, slots=True)
class LinkPage:
    """Some links in the order of the numbers of their pages. next_after: to be given for those that follow; None at
    the end. total: how many there are; is_exact: False if there are more than that."""

    links: Sequence[ShownLink]
    next_after: int | None
    total: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class PageRanks:
    """PageRank of a page, each ranking summing to 1 over `pages` local pages; places from 1."""

    estimator: str
    as_site_sees: float
    as_web_sees: float
    site_place: int
    web_place: int
    pages: int

    @property
    def ratio(self) -> float:
        return self.as_web_sees / self.as_site_sees


@dataclass(frozen=True, slots=True)
class EstimateHead:
    """A refresh of the estimate without its ranks: once written it stays as it is."""

    number: int
    created_at: float
    local_pages: int
    outside_pages: int


@dataclass(frozen=True, slots=True)
class HostView:
    """A host and how politely it is to be treated; the robots fields are None if robots.txt was never fetched."""

    number: int
    url: str
    site: str
    address: str | None
    next_fetch: float
    rest_seconds: float
    failures: int
    pages_fetched: int
    is_given_up: bool
    last_error: str | None
    robots_status: int | None
    robots_fetched_at: float | None
    robots_expires_at: float | None
    crawl_delay: float | None


@dataclass(frozen=True, slots=True)
class HostRobots:
    """robots.txt as served. text: its beginning, None unless the host gave one; is_whole: nothing is left out."""

    text: str | None
    is_whole: bool
    sitemaps: Sequence[str]
    sitemaps_left_out: int


@dataclass(frozen=True, slots=True)
class HostPages:
    """The pages of one host by state and its failures by kind. is_exact: False if only the first `looked_at` pages
    were looked at, since it has more."""

    by_state: Mapping[str, int]
    failures: Sequence[HostFailure]
    top: Sequence[RankedPage]
    looked_at: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class HostFailure:
    """outcome, status: what came of the visits; pages: to how many; example, detail: of one of them."""

    outcome: str
    status: int | None
    pages: int
    example: NamedPage
    detail: str


@dataclass(frozen=True, slots=True)
class RankedPage:
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
class ListedPages:
    """Some pages in the order of their URLs. next_after: the number to be given for those that follow, None at the end;
    there can be more also if none is listed, since so many pages are looked at for one answer and no more."""

    pages: Sequence[ListedPage]
    next_after: int | None
