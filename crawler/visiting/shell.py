"""What a crawl waits for: the network, the parsers, the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from crawler.fetching.validators import NO_VALIDATORS, Validators
from crawler.parsing.parses import Parses
from crawler.visiting.loans import Loans
from storage.record_writer import RecordWriter


class Fetches(Protocol):
    @property
    def lookups(self) -> int: ...
    async def resolve(self, host: str, *, is_fresh: bool = False) -> str | NoAnswer | None: ...
    async def fetch(
        self, url: str, limits: BodyLimits, validators: Validators = NO_VALIDATORS
    ) -> Answer | NoAnswer: ...


@dataclass(frozen=True, slots=True)
class Shell:
    """now: epoch seconds, never goes back. loans: by which the parsers ask hosts for what pages need, if they do.
    speed: seconds that pass for `now` in one of the event loop."""

    fetcher: Fetches
    parsers: Parses
    writer: RecordWriter
    now: Callable[[], float]
    loans: Loans | None = None
    speed: float = 1.0


Schedule = Callable[[], None]
"""Something changed: see who can go on, once all that changed with it has been told."""

