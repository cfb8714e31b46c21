"""A fetcher that archives whatever was answered before it hands it on."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.archiving.recording import Recording, recording
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
"""What WARC-Truncated calls the reasons why a response is not whole; for others that is "unspecified"."""

_SECRET_FIELDS = ("Authorization", "Cookie", "Proxy-Authorization")


class RecordingFetcher:
    """Fetches like the Fetcher it is made of, whose connections must be RecordingWires."""

    def __init__(
        self,
        fetcher: Fetcher,
        archive: Callable[[Capture], Awaitable[None]],
        now: Callable[[], float],
        secret_fields: Iterable[str] = (),
    ) -> None:
        """secret_fields: header fields of requests whose values the archive is not to have, besides the usual ones."""
        names = "|".join(re.escape(name) for name in (*_SECRET_FIELDS, *secret_fields)).encode()
        self._secret = re.compile(rb"^(" + names + rb"):[^\r\n]*", re.IGNORECASE | re.MULTILINE)
        self._fetcher = fetcher
        self._archive = archive
        self._now = now

    @property
    def phases(self) -> PhaseCounts:
        return self._fetcher.phases

    @property
    def closed_before(self) -> int:
        return self._fetcher.closed_before

    @property
    def lookups(self) -> int:
        return self._fetcher.lookups

    async def resolve(self, host: str, *, is_fresh: bool = False) -> NamedAddress | NoAnswer | None:
        return await self._fetcher.resolve(host, is_fresh=is_fresh)

    async def fetch(self, url: str, limits: BodyLimits, validators: Validators = NO_VALIDATORS) -> Answer | NoAnswer:
        """Returns once the response, if there was any, is in the archive. Raises what the archive raises. What nobody
        wants the body of was asked for to see whether the host answers, and is not archived.
        """
        if not limits.max_bytes:
            return await self._fetcher.fetch(url, limits)
        started = self._now()
        with recording() as record:
            answer = await self._fetcher.fetch(url, replace(limits, errors_too=True), validators)
        if record.head_bytes:
            await self._archive(self._capture(url, started, record, answer))
        return answer

    def _capture(self, url: str, started: float, record: Recording, answer: Answer | NoAnswer) -> Capture:
        response, truncated = record.whole_response(), ""
        if not record.is_complete:
            truncated = "length" if isinstance(answer, Answer) else _TRUNCATED.get(answer.kind, "unspecified")
            if isinstance(answer, Answer) and answer.was_skipped:
                # How much of a body that nobody read had arrived is chance, so none of it is kept.
                response = response[: record.head_bytes]
        # An archive is made to be passed on, and what lets us in is nobody else's.
        request = self._secret.sub(rb"\1: hidden", bytes(record.request))
        return Capture(
            url=url,
            captured_at=started,
            address=record.address,
            request=request,
            response=response,
            response_head_bytes=record.head_bytes,
            truncated=truncated,
        )
