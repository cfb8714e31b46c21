"""Decides which pages to request again because a redirect to them only sets a cookie. Pure.

A site that requires cookies redirects a request back to the same page, perhaps through other URLs, until the request
carries the cookie that the site has set. The crawl therefore sends the cookies of such a site back from then on, even
if it sends no cookies otherwise. Some sites set a cookie with every response and never stop redirecting, so each page
is requested again only a few times.
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
"""How often a page that redirects to itself is requested again before the crawl gives it up."""
_MOST_IN_VAIN: Final = 3
"""How many pages of a host may be given up. After that, none of its pages is requested again until one is read."""
_MOST_KEPT: Final = 100_000
"""How many pages and hosts are remembered; the redirects of a gate follow each other within minutes."""
_MOST_REOPENED: Final = 2
"""How often a redirecting page is visited again because another redirect leads back to it."""
_SOON_SECONDS: Final = 3
"""A page that reloads itself within this time does so to receive its cookie, not to show newer content."""


class CookieGates:
    """Knows which pages redirected and which hosts set cookies, and so which pages to request again. Mutable."""

    def __init__(self, led_on: Iterable[int] = (), cut_off: Iterable[int] = ()) -> None:
        """Start a run.

        `led_on` holds the pages whose last visit in an earlier run ended with a redirect. `cut_off` holds the pages of
        redirect circles that an earlier run was following when it ended.
        """
        self._cut_off = set(cut_off)
        self._set = Counter[int]()
        self._in_vain = Counter[int]()
        self._again = Counter[int]()
        self._reopened = Counter[int]()
        self._led_on = dict.fromkeys(led_on, -1)

    def is_shut(
        self,
        page: int,
        host: int,
        verdict: Verdict,
        answer: Answer | NoAnswer | None,
        digest: PageDigest | None = None,
        *,
        is_revisit: bool = False,
    ) -> bool:
        """Return whether to request a page of a host again instead of accepting this response.

        True if the response sets a cookie and leads back to the page itself, until the page or its host has used up its
        attempts. In a revisit (`is_revisit`) a redirect to any page counts, because the stored page had content.
        """
        if not (isinstance(answer, Answer) and answer.sets_cookies):
            return False
        leads_to_itself = verdict.kind is OutcomeKind.BAD_REDIRECT and verdict.detail.startswith(TO_ITSELF)
        has_left = is_revisit and verdict.kind is OutcomeKind.REDIRECTED
        if not (leads_to_itself or has_left or _shows_itself_again(verdict, digest)):
            return False
        if self._in_vain.get(host, 0) >= _MOST_IN_VAIN:
            return False
        self._again[page] += 1
        if self._again[page] <= _MOST_AGAIN:
            return True
        self._in_vain[host] += 1
        return False

    def visited(self, page: int, host: int, kind: OutcomeKind, answer: Answer | NoAnswer | None) -> None:
        """Record the final outcome of a visit to a page of a host."""
        self._again.pop(page, None)
        if kind is OutcomeKind.REDIRECTED:
            self._led_on[page] = self._set.get(host, 0)
            _limit(self._led_on)
        else:
            self._led_on.pop(page, None)
        if kind is OutcomeKind.FETCHED:
            self._in_vain.pop(host, None)
        if isinstance(answer, Answer) and answer.sets_cookies:
            self._set[host] += 1
            _limit(self._set)

    def opens(self, page: int, host: int, *, source: int = -1) -> bool:
        """Return whether to visit a page again because a redirect leads to it, from the page `source`.

        True if the page's own last visit ended with a redirect and its host has set a cookie since then. Also true if
        both pages are on a redirect circle that an earlier run could not finish: the cookies of that run are lost, so
        the whole circle is visited again.
        """
        is_cut_off = page in self._cut_off and source in self._cut_off
        if not is_cut_off and (page not in self._led_on or self._set.get(host, 0) <= max(self._led_on[page], 0)):
            return False
        self._reopened[page] += 1
        _limit(self._reopened)
        if self._reopened[page] > _MOST_REOPENED:
            return False
        self._led_on.pop(page, None)
        return True


def _limit(kept: dict[int, int]) -> None:
    if len(kept) > _MOST_KEPT:
        del kept[next(iter(kept))]


def _shows_itself_again(verdict: Verdict, digest: PageDigest | None) -> bool:
    """Return whether the page soon reloads itself: it has a refresh without another target."""
    page = None if digest is None else digest.page
    if verdict.kind is not OutcomeKind.FETCHED or page is None or page.refresh_seconds is None:
        return False
    return page.refresh_seconds <= _SOON_SECONDS and LinkKind.REFRESH not in page.link_kinds
