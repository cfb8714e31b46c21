"""What each kind of failure means: how often to try again, after how long, and whether the host may be to blame.

A blamed host backs off as a whole; see `politeness`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.fetching.outcomes import OutcomeKind


@dataclass(frozen=True, slots=True)
class RetryRule:
    """How to answer one kind of failure.

    attempts: visits in all, the first included. wait_seconds: before the second visit; doubles each time.
    blames_host: it may be the host that fails. Then the host backs off and is given up in the end, and the visit counts
    only once the host has answered something else. is_mild: the host did answer, so it backs off from the second
    such failure in a row on.
    """

    attempts: int
    wait_seconds: float
    blames_host: bool
    is_mild: bool = False


FINAL: Final = RetryRule(1, 0.0, blames_host=False)


@dataclass(frozen=True, slots=True)
class RetryRules:
    """Kinds that are not listed are final at once and blame nobody but the page."""

    listed: Mapping[OutcomeKind, RetryRule]

    def of(self, kind: OutcomeKind) -> RetryRule:
        return self.listed.get(kind, FINAL)

    @property
    def longest_wait(self) -> float:
        """Seconds after which any page is tried again that its host has not asked to leave alone for longer."""
        return max(rule.wait_seconds * 2.0 ** (rule.attempts - 1) for rule in self.listed.values())


RETRY_RULES: Final = RetryRules(
    {
        OutcomeKind.SERVER_ERROR: RetryRule(3, 30.0, blames_host=True, is_mild=True),
        OutcomeKind.UNAVAILABLE: RetryRule(3, 30.0, blames_host=True),
        OutcomeKind.THROTTLED: RetryRule(5, 30.0, blames_host=True),
        OutcomeKind.CHALLENGED: RetryRule(3, 60.0, blames_host=True),
        OutcomeKind.FORBIDDEN_ADDRESS: RetryRule(3, 30.0, blames_host=True),
        OutcomeKind.DNS_FAILURE: RetryRule(3, 30.0, blames_host=True),
        OutcomeKind.CONNECT_FAILURE: RetryRule(3, 10.0, blames_host=True),
        OutcomeKind.CONNECT_TIMEOUT: RetryRule(3, 30.0, blames_host=True),
        OutcomeKind.TLS_FAILURE: RetryRule(2, 60.0, blames_host=True),
        OutcomeKind.FIRST_BYTE_TIMEOUT: RetryRule(3, 30.0, blames_host=True),
        OutcomeKind.BODY_TIMEOUT: RetryRule(2, 60.0, blames_host=True),
        OutcomeKind.SLOW_BODY: RetryRule(2, 60.0, blames_host=True),
        OutcomeKind.DISCONNECTED: RetryRule(3, 10.0, blames_host=True),
        OutcomeKind.BAD_RESPONSE: RetryRule(2, 10.0, blames_host=False),
        OutcomeKind.TRUNCATED: RetryRule(2, 10.0, blames_host=False),
        OutcomeKind.CORRUPT: RetryRule(2, 10.0, blames_host=False),
    }
)
