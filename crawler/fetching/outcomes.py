"""The outcomes of a visit. Failures of the web are values, not exceptions: every fetch returns an outcome."""

from __future__ import annotations

from enum import StrEnum

from hinterland.crawler.frontier.pages.page_state import PageState


class OutcomeKind(StrEnum):
    """The outcome stored for every visit; the store and all reports use these names."""

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
    CHALLENGED = "challenged"  # a bot filter, or a wall for consent or cookies, stands before the page
    SOFT_404 = "soft_404"  # 200, but the server says the same of pages that it does not have
    UNEXPECTED_STATUS = "unexpected_status"  # 1xx, 304 of a page never read, 3xx that is not a redirect, ...
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
    UNREADABLE = "unreadable"  # a document that is broken or asks for a password, or a page that is no text

    # the parser gave up on it
    PARSE_TIMEOUT = "parse_timeout"
    PARSER_CRASH = "parser_crash"

    # a bug of this program
    INTERNAL_ERROR = "internal_error"  # the result of the visit could not be processed; the log has the traceback


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
"""Failures that the local network may have caused, since not a byte of HTTP was received."""

_STATES = {
    OutcomeKind.FETCHED: PageState.FETCHED,
    OutcomeKind.OTHER_TYPE: PageState.FETCHED,
    OutcomeKind.REDIRECTED: PageState.REDIRECTED,
    OutcomeKind.ROBOTS: PageState.REFUSED,
    OutcomeKind.FORBIDDEN_ADDRESS: PageState.REFUSED,
}


def final_state(kind: OutcomeKind) -> PageState:
    """Return the state of a page once this outcome is final."""
    return _STATES.get(kind, PageState.FAILED)
