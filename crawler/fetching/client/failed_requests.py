"""Turns the error of a failed request into a result: its kind, its description, and whether our network is at fault."""

from __future__ import annotations

import errno
import ssl
from typing import Final

import aiohttp
from yarl import URL

from hinterland.crawler.fetching.access.hidden_values import HIDDEN_VALUES
from hinterland.crawler.fetching.answers import NoAnswer
from hinterland.crawler.fetching.client.body_reader import SLOW_BODY_BYTES_PER_SECOND
from hinterland.crawler.fetching.client.failure_text import failure_text
from hinterland.crawler.fetching.client.request import RequestPhase, RequestUnderWay
from hinterland.crawler.fetching.names.resolver import ForbiddenAddress, NameNotFound, lookup_took_longer
from hinterland.crawler.fetching.outcomes import OutcomeKind

_KINDS: Final[tuple[tuple[type[BaseException], OutcomeKind | None], ...]] = (
    (ForbiddenAddress, OutcomeKind.FORBIDDEN_ADDRESS),
    (NameNotFound, OutcomeKind.DNS_FAILURE),
    (aiohttp.ClientConnectorDNSError, OutcomeKind.DNS_FAILURE),
    (aiohttp.ClientSSLError, OutcomeKind.TLS_FAILURE),
    (aiohttp.ServerFingerprintMismatch, OutcomeKind.TLS_FAILURE),
    (aiohttp.ConnectionTimeoutError, OutcomeKind.CONNECT_TIMEOUT),
    (aiohttp.SocketTimeoutError, OutcomeKind.FIRST_BYTE_TIMEOUT),
    (aiohttp.ClientConnectorError, OutcomeKind.CONNECT_FAILURE),
    (aiohttp.ClientHttpProxyError, OutcomeKind.CONNECT_FAILURE),
    (aiohttp.ClientResponseError, OutcomeKind.BAD_RESPONSE),
    (aiohttp.InvalidURL, OutcomeKind.BAD_RESPONSE),
    (aiohttp.ClientPayloadError, OutcomeKind.TRUNCATED),
    (aiohttp.ServerDisconnectedError, OutcomeKind.DISCONNECTED),
    (TimeoutError, None),  # our own deadline: the phase of the request decides
    (ssl.SSLError, OutcomeKind.TLS_FAILURE),
    (aiohttp.ClientOSError, OutcomeKind.DISCONNECTED),
    (OSError, OutcomeKind.CONNECT_FAILURE),
    (Exception, OutcomeKind.BAD_RESPONSE),
)
"""The kind of outcome for each type of error, most specific first."""
_NO_WAY: Final = (errno.ENETUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL)


def no_answer(error: BaseException, request: RequestUnderWay) -> NoAnswer:
    """Return the result of a request that failed with an error."""
    kind, detail = _kind_of(error), HIDDEN_VALUES.hide(failure_text(error))
    if kind is None or isinstance(error, TimeoutError):
        kind = request.timed_out if kind is None else kind
        detail = _time_limit_text(kind, request)
        request.note_timeout()
    elif request.phase is RequestPhase.HANDSHAKING and kind in (
        OutcomeKind.CONNECT_FAILURE,
        OutcomeKind.DISCONNECTED,
    ):
        kind, detail = OutcomeKind.TLS_FAILURE, f"the TLS handshake broke off: {detail}"
    return _no_answer(kind, error, detail, request.host_seconds)


def no_address(error: BaseException) -> NoAnswer:
    """Return the result of a lookup that failed with an error."""
    return _no_answer(_kind_of(error) or OutcomeKind.DNS_FAILURE, error, failure_text(error), 0.0)


def _time_limit_text(kind: OutcomeKind, request: RequestUnderWay) -> str:
    """Return in words which step took too long, and its time limit."""
    seconds = request.allowed_seconds
    match kind:
        case OutcomeKind.CONNECT_TIMEOUT:
            return f"no connection within {seconds:g} s"
        case OutcomeKind.TLS_FAILURE:
            return f"the TLS handshake took more than {seconds:g} s"
        case OutcomeKind.DNS_FAILURE:
            return f"{URL(request.host, encoded=True).host}: {lookup_took_longer(seconds)}"
        case OutcomeKind.SLOW_BODY:
            return f"the body came slower than {SLOW_BODY_BYTES_PER_SECOND} bytes per second"
        case OutcomeKind.BODY_TIMEOUT:
            return f"the body took more than {seconds:g} s"
    return f"no answer within {seconds:g} s of the request"


def _inner(error: BaseException) -> BaseException | None:
    """Return the system error or ForbiddenAddress that an error of aiohttp wraps; otherwise the error itself."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return error.os_error
    return error.__cause__ if isinstance(error.__cause__, ForbiddenAddress) else error


def _kind_of(error: BaseException) -> OutcomeKind | None:
    if isinstance(_inner(error), ForbiddenAddress):
        return OutcomeKind.FORBIDDEN_ADDRESS
    return next(kind for types, kind in _KINDS if isinstance(error, types))


def _no_answer(kind: OutcomeKind, error: BaseException, detail: str, seconds: float) -> NoAnswer:
    inner = _inner(error)
    is_late_look_up = isinstance(error, TimeoutError) and kind is OutcomeKind.DNS_FAILURE
    is_no_way = isinstance(inner, OSError) and inner.errno in _NO_WAY
    is_ours = getattr(inner, "is_ours", False) or is_late_look_up or is_no_way
    is_final, is_silence = getattr(inner, "is_final", False), getattr(inner, "is_silence", False)
    has_begun = isinstance(error, aiohttp.ServerDisconnectedError) and not isinstance(error.message, str)
    return NoAnswer(
        kind, detail, seconds, is_ours=is_ours, is_final=is_final, is_silence=is_silence, has_begun=has_begun
    )
