"""What came of a visit, and what each kind of failure means.

The web's misfortunes are values, not exceptions: a fetch returns one of the outcomes below, and the
table `RETRY_RULES` says, per kind of failure, how often to try again, after how long, and whether the
host is to blame (a blamed host backs off as a whole; see `politeness`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class OutcomeKind(StrEnum):
    """The one word stored for every visit; the store and all reports use these names."""

    FETCHED = "fetched"  # 2xx and parsed
    OTHER_TYPE = "other_type"  # 2xx, but not a content type we read
    REDIRECTED = "redirected"

    # refused by us: no request was made, or none will be made again
    ROBOTS = "robots"  # robots.txt forbids it
    FORBIDDEN_ADDRESS = "forbidden_address"  # private, loopback, ... and not allowed by settings

    # the server answered, but not with a page
    CLIENT_ERROR = "client_error"  # 4xx
    SERVER_ERROR = "server_error"  # 5xx: this page is broken
    UNAVAILABLE = "unavailable"  # 502, 503, 504: the host is
    THROTTLED = "throttled"  # 429, or 503 with Retry-After
    UNEXPECTED_STATUS = "unexpected_status"  # 1xx, 304, 3xx that is no redirect, ...
    BAD_REDIRECT = "bad_redirect"  # a redirect without a usable http(s) target, or to itself
    TOO_MANY_REDIRECTS = "too_many_redirects"

    # the network failed
    DNS_FAILURE = "dns_failure"
    CONNECT_FAILURE = "connect_failure"
    CONNECT_TIMEOUT = "connect_timeout"
    TLS_FAILURE = "tls_failure"
    FIRST_BYTE_TIMEOUT = "first_byte_timeout"
    BODY_TIMEOUT = "body_timeout"
    SLOW_BODY = "slow_body"
    DISCONNECTED = "disconnected"
    BAD_RESPONSE = "bad_response"  # not HTTP

    # the body is not usable
    TOO_LARGE = "too_large"
    TRUNCATED = "truncated"
    CORRUPT = "corrupt"
    UNKNOWN_ENCODING = "unknown_encoding"

    # the parser gave up on it
    PARSE_TIMEOUT = "parse_timeout"
    PARSER_CRASH = "parser_crash"


class PageState(StrEnum):
    """Where a known page stands, in the order of its life."""

    KNOWN = "known"  # a link leads here, but it is not ours to fetch
    WAITING = "waiting"
    FETCHED = "fetched"
    REDIRECTED = "redirected"
    FAILED = "failed"
    REFUSED = "refused"


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


RETRY_RULES: dict[OutcomeKind, RetryRule] = {
    OutcomeKind.SERVER_ERROR: RetryRule(3, 30.0, blames_host=True, is_mild=True),
    OutcomeKind.UNAVAILABLE: RetryRule(3, 30.0, blames_host=True),
    OutcomeKind.THROTTLED: RetryRule(5, 30.0, blames_host=True),
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
"""Kinds that are not listed are final at once and blame nobody but the page."""

UNREACHED = frozenset(
    {
        OutcomeKind.DNS_FAILURE,
        OutcomeKind.CONNECT_FAILURE,
        OutcomeKind.CONNECT_TIMEOUT,
        OutcomeKind.TLS_FAILURE,
        OutcomeKind.FIRST_BYTE_TIMEOUT,
        OutcomeKind.DISCONNECTED,
    }
)
"""Failures that the network here may be to blame for: not a word of HTTP came back."""

FINAL = RetryRule(1, 0.0, blames_host=False)

_STATES = {
    OutcomeKind.FETCHED: PageState.FETCHED,
    OutcomeKind.OTHER_TYPE: PageState.FETCHED,
    OutcomeKind.REDIRECTED: PageState.REDIRECTED,
    OutcomeKind.ROBOTS: PageState.REFUSED,
    OutcomeKind.FORBIDDEN_ADDRESS: PageState.REFUSED,
}


def retry_rule(kind: OutcomeKind) -> RetryRule:
    return RETRY_RULES.get(kind, FINAL)


def longest_wait() -> float:
    """Seconds after which any page is tried again that its host has not asked to leave alone for longer."""
    return max(rule.wait_seconds * 2.0 ** (rule.attempts - 1) for rule in RETRY_RULES.values())


def final_state(kind: OutcomeKind) -> PageState:
    """The state of a page once this outcome is final."""
    return _STATES.get(kind, PageState.FAILED)
