"""How often each page was visited, and how often it was the page that failed. Pure."""

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
    not_before: float = 0.0  # as the host has asked, epoch seconds


class PageAttempts:
    """Mutable; of the pages that are to be tried again.

    A failure that may be the host's is no attempt until it is known whose it was: see crawler.frontier.retries.
    """

    def __init__(
        self, rules: RetryRules, max_attempts: int, visits: Mapping[int, int], charges: Mapping[int, int]
    ) -> None:
        """visits, charges: of earlier runs."""
        self._rules = rules
        self._max_attempts = max_attempts
        self._pages = {page: _Attempts(count, charges.get(page, 0)) for page, count in visits.items()}

    def visited(self, page: int) -> int:
        """Count a visit, and return how many there were."""
        attempts = self._pages.get(page)
        if attempts is None:  # nearly always, and for the only time
            return 1
        attempts.visits += 1
        return attempts.visits

    def reopened(self, page: int) -> None:
        """A page whose only visit had ended for good is to be visited again."""
        self._pages[page] = _Attempts(visits=1)

    def failed(self, page: int, kind: OutcomeKind, not_before: float) -> None:
        """The visit just counted failed. not_before: when the host is to be asked for the page again, epoch s."""
        attempts = self._pages.setdefault(page, _Attempts())
        attempts.kind, attempts.not_before = kind, not_before

    def charge(self, page: int, now: float) -> float | None:
        """The page is to blame for its last failure: when to try it again, epoch seconds; None if that was enough."""
        attempts = self._pages[page]
        attempts.charges += 1
        rule = self._rules.of(attempts.kind)
        # Being asked to slow down says nothing against the page, so the limit of tries is the table's alone.
        limit = rule.attempts if attempts.kind is OutcomeKind.THROTTLED else min(rule.attempts, self._max_attempts)
        if attempts.charges >= limit:
            return None
        return max(now + rule.wait_seconds * 2.0 ** (attempts.charges - 1), attempts.not_before)

    def charges(self, page: int) -> int:
        return self._pages[page].charges if page in self._pages else 0

    def kind(self, page: int) -> OutcomeKind:
        """Of its last failure."""
        return self._pages[page].kind

    def ended(self, page: int) -> None:
        """The page will not be visited again."""
        self._pages.pop(page, None)
