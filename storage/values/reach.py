"""What kept a crawl from pages of its domain without being a failure. Plain values, no behaviour."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NofollowReport:
    """Pages of the domain to which only links lead that say nofollow, by_page of them on pages that say so of all their
    links. example: one of them, found_on: the page with the link.
    """

    pages: int
    by_page: int
    example: str
    found_on: str


@dataclass(frozen=True, slots=True)
class StartReport:
    """A start page that leads nowhere. links: to other pages; followed: those of them that do not say nofollow.
    is_nofollow: the page says so of all of them. is_shell: it says nothing before its scripts have run.
    """

    url: str
    links: int
    followed: int
    is_nofollow: bool
    is_shell: bool
