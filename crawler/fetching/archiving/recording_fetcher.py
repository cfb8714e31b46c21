"""A fetcher that archives each response before it returns it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from functools import lru_cache

from hinterland.crawler.fetching.access.hidden_values import HIDDEN_VALUES
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.archiving.recording import Recording
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.client.observation import PhaseCounts
from hinterland.crawler.fetching.names.resolver import NamedAddress
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.validators import NO_VALIDATORS, Validators
from hinterland.storage.warc.captures import Capture

_TRUNCATED = {
    OutcomeKind.TOO_LARGE: "length",
    OutcomeKind.BODY_TIMEOUT: "time",
    OutcomeKind.SLOW_BODY: "time",
    OutcomeKind.FIRST_BYTE_TIMEOUT: "time",
    OutcomeKind.TRUNCATED: "disconnect",
    OutcomeKind.DISCONNECTED: "disconnect",
}
"""The value of WARC-Truncated for each reason why a response is incomplete; for other reasons it is "unspecified"."""

_SECRET_FIELDS = ("Authorization", "Cookie", "Proxy-Authorization")


class RecordingFetcher:
    """Wraps a Fetcher, whose connections must be RecordingWires, and archives what it fetches."""

    def __init__(
        self,
        fetcher: Fetcher,
        archive: Callable[[Capture], Awaitable[None]],
        now: Callable[[], float],
        secret_fields: Iterable[str] = (),
    ) -> None:
        """Wrap a fetcher; `archive` writes a capture.

        `secret_fields` names header fields of requests whose values must not be archived, in addition to the usual
        ones.
        """
        names = "|".join(re.escape(name) for name in (*_SECRET_FIELDS, *secret_fields)).encode()
        self._secret = re.compile(rb"\n(" + names + rb"):[^\r\n]*", re.IGNORECASE)
        self._fetcher = fetcher
        self._archive = archive
        self._now = now

    @property
    def phases(self) -> PhaseCounts:
        """The number of requests in each phase."""
        return self._fetcher.phases

    @property
    def closed_before(self) -> int:
        """The number of requests so far that found their kept-alive connection just closed by the server."""
        return self._fetcher.closed_before

    @property
    def lookups(self) -> int:
        """The number of names looked up successfully so far."""
        return self._fetcher.lookups

    async def resolve(self, host: str, *, is_fresh: bool = False) -> NamedAddress | NoAnswer | None:
        """Return the address of a host; see Fetcher."""
        return await self._fetcher.resolve(host, is_fresh=is_fresh)

    async def fetch(
        self,
        url: str,
        limits: BodyLimits,
        validators: Validators = NO_VALIDATORS,
        *,
        by: str = "",
        form: str | None = None,
    ) -> Answer | NoAnswer:
        """Fetch a URL; return once the response, if there is any, is in the archive.

        Raises the errors of `archive`. Two kinds of requests are not archived: requests for no body, which only test
        whether the host answers, and requests with a form, by which a crawl logs in.
        """
        if not limits.max_bytes or form is not None:
            return await self._fetcher.fetch(url, limits, by=by, form=form)
        started = self._now()
        with Recording() as record:
            answer = await self._fetcher.fetch(url, _with_errors(limits), validators, by=by)
        if record.head_bytes:
            await self._archive(self._capture(url, started, record, answer))
        return answer

    def _capture(self, url: str, started: float, record: Recording, answer: Answer | NoAnswer) -> Capture:
        response, truncated = HIDDEN_VALUES.mask(record.whole_response()), ""
        if not record.is_complete:
            truncated = "length" if isinstance(answer, Answer) else _TRUNCATED.get(answer.kind, "unspecified")
            if isinstance(answer, Answer) and answer.was_skipped:
                # It is chance how much of an unread body had arrived, so none of it is kept.
                response = response[: record.head_bytes]
        # Archives are made to be passed on; credentials must not be.
        request = bytes(record.request)
        if self._secret.search(request):
            request = self._secret.sub(rb"\n\1: hidden", request)
        return Capture(
            url=url,
            captured_at=started,
            address=record.address,
            request=HIDDEN_VALUES.mask(request),
            response=response,
            response_head_bytes=record.head_bytes,
            truncated=truncated,
            opened_by=answer.login if isinstance(answer, Answer) else "",
        )


@lru_cache(maxsize=16)
def _with_errors(limits: BodyLimits) -> BodyLimits:
    return replace(limits, errors_too=True)
