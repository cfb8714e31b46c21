"""Pages of the domain that a crawl missed without a failure, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NofollowReport:
    """Local pages to which only nofollow links lead.

    `by_page` counts the pages whose linking page declares all its links nofollow. `example` is one of the pages, and
    `found_on` the page with the link.
    """

    pages: int
    by_page: int
    example: str
    found_on: str


@dataclass(frozen=True, slots=True)
class StartReport:
    """A start page whose links lead to no page that may be visited.

    `links` counts its links to other pages, and `followed` the links among them that are not nofollow. `is_nofollow`
    means that the page declares all its links nofollow. `is_shell` means that the page has no content before its
    scripts run.
    """

    url: str
    links: int
    followed: int
    is_nofollow: bool
    is_shell: bool
