"""The result of one request: an answer, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hinterland.crawler.fetching.outcomes import OutcomeKind


class Validity(NamedTuple):
    """The period in which a certificate is valid, in epoch seconds."""

    since: int
    until: int


@dataclass(frozen=True, slots=True)
class Connection:
    """What was learnt about a connection when it was made.

    `certificate` is the validity of the host's certificate; None without TLS, or if certificates are not checked.
    """

    certificate: Validity | None = None


PLAIN: Final = Connection()
"""A connection without TLS."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete HTTP response, with the body as sent.

    `seconds` is the time that the host took to answer; see NoAnswer. `was_skipped` says that the body was not wanted,
    because of its status or content type. Then `body` is empty; if the body was small and was read anyway, it is in
    `unwanted`. `sets_cookies` says that the response set cookies. `login` is the kind of login that the request
    carried, such as "bearer"; "" for none. `filter_fields` are the header fields by which bot filters identify
    themselves. `raw_fields` are all header fields as received, (name, value). `connection` is what was learnt about the
    connection.
    """

    status: int
    body: bytes
    seconds: float
    was_skipped: bool = False
    content_type: str | None = None
    content_encoding: str = ""
    location: str | None = None
    retry_after: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    robots_tags: tuple[str, ...] = ()  # X-Robots-Tag
    link_fields: tuple[str, ...] = ()  # Link
    refresh: str | None = None
    date: str | None = None
    age: str | None = None
    unwanted: bytes = b""
    filter_fields: tuple[tuple[str, str], ...] = ()
    sets_cookies: bool = False
    login: str = ""
    raw_fields: Sequence[tuple[bytes, bytes]] = field(default=(), compare=False, repr=False)
    connection: Connection = field(default=PLAIN, compare=False)

    def header(self, name: str) -> str | None:
        """Return the value of a header field, regardless of upper and lower case; None if there is none.

        Several fields of the same name are joined by ", ".
        """
        wanted = name.lower().encode("ascii")
        lines = [value.decode("latin-1") for key, value in self.raw_fields if key.lower() == wanted]
        return ", ".join(lines) if lines else None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The reason why a request got no response that can be used.

    `seconds` is the time from the request to the last byte read, minus the time for which this machine delayed it. For
    a request that was never sent, the time begins with the lookup of the name, or with the attempt to connect.

    `is_ours` says that this machine has no route to the network, or no name server that replies; `is_silence` says that
    no name server replied. `is_final` says that a retry under these settings would have the same result. `is_stale`
    says that the server closed a kept-alive connection before it could have read the request: nobody is to blame, and
    the next request to the host is sent on a new connection. `has_begun` says that the beginning of an answer was
    received, so that the network works.
    """

    kind: OutcomeKind
    detail: str
    seconds: float
    status: int | None = None
    is_ours: bool = False
    is_final: bool = False
    is_stale: bool = False
    is_silence: bool = False
    has_begun: bool = False


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Which bodies to read: those of 2xx answers with one of `content_types` (None for any), up to `max_bytes`.

    With `cut`, the first `max_bytes` of a longer body are kept; without `cut`, the body is refused. With `errors_too`,
    the bodies of other answers are also read if they arrive soon; the crawl ignores them, but the WARC recorder keeps
    them. With `without_body`, no body is requested: the request is HEAD.
    """

    content_types: frozenset[str] | None
    max_bytes: int
    cut: bool = False
    errors_too: bool = False
    without_body: bool = False
