"""Counts how often each page was visited, and how often the page itself was at fault. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.retry_rules import RetryRules


@dataclass(slots=True)
class _Attempts:
    visits: int = 1
    charges: int = 0
    kind: OutcomeKind = OutcomeKind.FETCHED  # of the last failure
    not_before: float = 0.0  # the host asked not to be asked earlier; epoch seconds


class PageAttempts:
    """Counts the attempts of pages that will be tried again. Mutable.

    A failure that may be the host's fault is not counted until that is decided: see crawler.frontier.retries.
    """

    def __init__(
        self, rules: RetryRules, max_attempts: int, visits: Mapping[int, int], charges: Mapping[int, int]
    ) -> None:
        """`visits` and `charges` say how often each page was visited, and was itself at fault, in earlier runs."""
        self._rules = rules
        self._max_attempts = max_attempts
        self._pages = {page: _Attempts(count, charges.get(page, 0)) for page, count in visits.items()}

    def visited(self, page: int) -> int:
        """Count a visit to a page; return how many visits there have been."""
        attempts = self._pages.get(page)
        if attempts is None:  # nearly always: the page's only visit
            return 1
        attempts.visits += 1
        return attempts.visits

    def reopened(self, page: int) -> None:
        """Prepare for another visit to a page that was visited once, with an outcome that was final."""
        self._pages[page] = _Attempts(visits=1)

    def failed(self, page: int, kind: OutcomeKind, not_before: float) -> None:
        """Note that the last counted visit to a page failed.

        `not_before` is the earliest time at which the page may be requested from the host again, in epoch seconds.
        """
        attempts = self._pages.setdefault(page, _Attempts())
        attempts.kind, attempts.not_before = kind, not_before

    def charge(self, page: int, now: float) -> float | None:
        """Count the page's last failure as the page's own fault, and return when to retry the page, in epoch seconds.

        Returns None if the page's attempts are used up.
        """
        attempts = self._pages[page]
        attempts.charges += 1
        rule = self._rules.of(attempts.kind)
        # A host's request to slow down is not the page's fault, so only the rule of this kind limits the attempts.
        limit = rule.attempts if attempts.kind is OutcomeKind.THROTTLED else min(rule.attempts, self._max_attempts)
        if attempts.charges >= limit:
            return None
        return max(now + rule.wait_seconds * 2.0 ** (attempts.charges - 1), attempts.not_before)

    def charges(self, page: int) -> int:
        """Return how many failures were the page's own."""
        return self._pages[page].charges if page in self._pages else 0

    def kind(self, page: int) -> OutcomeKind:
        """Return the kind of the page's last failure."""
        return self._pages[page].kind

    def ended(self, page: int) -> None:
        """Forget a page that will not be visited again."""
        self._pages.pop(page, None)
