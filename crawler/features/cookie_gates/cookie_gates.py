"""Pages behind a redirect that only sets a cookie: which of them to request again with the cookie. Pure.

A site that wants cookies redirects to the same page, perhaps by way of another URL, until it sees the cookie that it
has set. Only crawls that keep cookies (`fetching.cookies`) can pass. A site may set a cookie with every response and
redirect all the same, so each page is requested again only a few times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import TO_ITSELF, Verdict
from hinterland.crawler.parsing.html.parsed_page import LinkKind
from hinterland.crawler.parsing.messages import PageDigest

_MOST_AGAIN: Final = 3
"""Redirects to itself after which a page is given up."""
_MOST_REOPENED: Final = 2
"""How often a page that had redirected is requested again because a redirect leads back to it."""
_SOON_SECONDS: Final = 3
"""A page that reloads itself within this time waits for its cookie, and not for news."""


class CookieGates:
    """Which pages are behind cookie gates. Mutable."""

    def __init__(self, led_on: Iterable[int] = ()) -> None:
        """Start a run; `led_on` are the pages whose last visit, in an earlier run, ended with a redirect."""
        self._set = Counter[int]()
        self._again = Counter[int]()
        self._reopened = Counter[int]()
        self._led_on = dict.fromkeys(led_on, -1)

    def is_shut(
        self,
        page: int,
        verdict: Verdict,
        answer: Answer | NoAnswer | None,
        digest: PageDigest | None = None,
        *,
        is_revisit: bool = False,
    ) -> bool:
        """Return whether to request a page once more before its visit counts.

        That is so if its response has just set a cookie and leads to the page itself. `is_revisit` says that this is a
        revisit, where a redirect to anywhere is doubted.
        """
        if not (isinstance(answer, Answer) and answer.sets_cookies):
            return False
        leads_to_itself = verdict.kind is OutcomeKind.BAD_REDIRECT and verdict.detail.startswith(TO_ITSELF)
        has_left = is_revisit and verdict.kind is OutcomeKind.REDIRECTED
        if not (leads_to_itself or has_left or _shows_itself_again(verdict, digest)):
            return False
        self._again[page] += 1
        return self._again[page] <= _MOST_AGAIN

    def visited(self, page: int, host: int, kind: OutcomeKind, answer: Answer | NoAnswer | None) -> None:
        """Note that the visit to a page of a host has ended for good."""
        self._again.pop(page, None)
        if kind is OutcomeKind.REDIRECTED:
            self._led_on[page] = self._set[host]
        else:
            self._led_on.pop(page, None)
        if isinstance(answer, Answer) and answer.sets_cookies:
            self._set[host] += 1

    def opens(self, page: int, host: int) -> bool:
        """Return whether to visit a page again because a redirect leads to it.

        That is so if the page itself had redirected, and its host has set a cookie since then.
        """
        if page not in self._led_on or self._set[host] <= max(self._led_on[page], 0):
            return False
        self._reopened[page] += 1
        if self._reopened[page] > _MOST_REOPENED:
            return False
        del self._led_on[page]
        return True


def _shows_itself_again(verdict: Verdict, digest: PageDigest | None) -> bool:
    """Return whether the page that was read only reloads itself, by a refresh."""
    page = None if digest is None else digest.page
    if verdict.kind is not OutcomeKind.FETCHED or page is None or page.refresh_seconds is None:
        return False
    return page.refresh_seconds <= _SOON_SECONDS and LinkKind.REFRESH not in page.link_kinds
