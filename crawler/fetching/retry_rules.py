"""How to respond to each kind of failure: how often and when to retry, and whether the host may be to blame.

A host that is blamed backs off as a whole; see `politeness`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.fetching.outcomes import OutcomeKind


@dataclass(frozen=True, slots=True)
class RetryRule:
    """How to respond to one kind of failure.

    `attempts` is the maximum number of visits, including the first. `wait_seconds` is the wait before the second visit;
    it doubles each time. `blames_host` says that the host may be at fault. Then the host backs off and, after more
    failures, is given up; the failure counts against the page only if the host answers another request. `is_mild` says
    that the host did answer, so it backs off only from the second failure in a row.
    """

    attempts: int
    wait_seconds: float
    blames_host: bool
    is_mild: bool = False


FINAL: Final = RetryRule(1, 0.0, blames_host=False)
"""The rule of kinds that are not listed."""


@dataclass(frozen=True, slots=True)
class RetryRules:
    """The rules for all kinds of failure.

    A failure of a kind that is not listed is final immediately, and does not count against the host.
    """

    listed: Mapping[OutcomeKind, RetryRule]

    def of(self, kind: OutcomeKind) -> RetryRule:
        """Return the rule of a kind of failure."""
        return self.listed.get(kind, FINAL)

    @property
    def longest_wait(self) -> float:
        """The longest wait before any retry, in seconds, unless a host asked for a longer one."""
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
