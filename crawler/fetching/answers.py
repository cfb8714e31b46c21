"""What the network gave for one request: an answer, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hinterland.crawler.fetching.outcomes import OutcomeKind


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete HTTP response, its body as sent. seconds: of the host's work, see NoAnswer.

    sets_cookies: it has set some that the next requests to its site bring back.
    body is empty if it was not wanted (`was_skipped`): another status or content type than asked for. unwanted: that
    body as sent, if it was small and came along. filter_fields: header fields by which bot filters name themselves.
    raw_fields: all header fields as they came, (name, value).
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
    raw_fields: Sequence[tuple[bytes, bytes]] = field(default=(), compare=False, repr=False)

    def header(self, name: str) -> str | None:
        """The value of a header field, in any case of letters; lines of one name are joined by ", ". None if there is
        none.
        """
        wanted = name.lower().encode("ascii")
        lines = [value.decode("latin-1") for key, value in self.raw_fields if key.lower() == wanted]
        return ", ".join(lines) if lines else None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why there is no response, or none that can be used.

    seconds: from the request to the last byte read, without the time that this machine kept it waiting; for a request
    that was never sent, from the beginning of its lookup or connection.
    is_ours: this machine has no way to the network, or no name server that replies. is_final: under these settings it
    will be the same again. is_stale: the server closed a connection that had been kept, before it could have read the
    request; nobody is to blame, and the next request to the host is sent on a new connection. is_silence: no name
    server replied.
    """

    kind: OutcomeKind
    detail: str
    seconds: float
    status: int | None = None
    is_ours: bool = False
    is_final: bool = False
    is_stale: bool = False
    is_silence: bool = False


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Which bodies to read: of 2xx answers with one of these content types (None: any), up to max_bytes.

    cut: keep the first max_bytes of a longer body instead of refusing it. errors_too: read the bodies of other than 2xx
    answers as well, as far as they come soon; ignored by the crawl, kept for the WARC recorder.
    """

    content_types: frozenset[str] | None
    max_bytes: int
    cut: bool = False
    errors_too: bool = False
