"""The result of one request: an answer, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hinterland.crawler.fetching.outcomes import OutcomeKind


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete HTTP response, its body as sent.

    `seconds` is the time that the host worked on it, see NoAnswer. `body` is empty if it was not wanted
    (`was_skipped`), because its status or content type is not one that was asked for; `unwanted` is such a body as
    sent, if it was small and came along. `sets_cookies` says that it has set cookies which the next requests to its
    site send back. `filter_fields` are the header fields by which bot filters name themselves. `raw_fields` are all
    header fields as they came, (name, value).
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
        """Return the value of a header field, in any case of letters; None if there is none.

        Lines of one name are joined by ", ".
        """
        wanted = name.lower().encode("ascii")
        lines = [value.decode("latin-1") for key, value in self.raw_fields if key.lower() == wanted]
        return ", ".join(lines) if lines else None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why there is no response, or none that can be used.

    `seconds` runs from the request to the last byte read, without the time that this machine kept it waiting; for a
    request that was never sent, from the beginning of its lookup or connection.

    `is_ours` says that this machine has no way to the network, or no name server that replies; `is_silence` that no
    name server replied. `is_final` says that the result will be the same again under these settings. `is_stale` says
    that the server closed a kept connection before it could have read the request: nobody is to blame, and the next
    request to the host is sent on a new connection.
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
    """Which bodies to read: those of 2xx answers with one of these content types (None: any), up to `max_bytes`.

    `cut` keeps the first `max_bytes` of a longer body instead of refusing it. `errors_too` also reads the bodies of
    answers other than 2xx, if they come soon; the crawl ignores them, the WARC recorder keeps them.
    """

    content_types: frozenset[str] | None
    max_bytes: int
    cut: bool = False
    errors_too: bool = False
