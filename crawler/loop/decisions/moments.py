"""The values and interfaces that the loop and its features exchange. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final, Protocol

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.fetching.validators import Validators
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.decisions.closed_visits import Closed
from hinterland.crawler.loop.decisions.visit_records import Outlinks
from hinterland.crawler.parsing.messages import EarlierPage, PageDigest
from hinterland.storage.values.records import Record

NONE: Final[frozenset[int]] = frozenset()


@dataclass(slots=True)
class PagesFound:
    """The hosts and pages discovered in one step.

    `given` are pages that other shards already know. `redirects_to` returns the length of the chain of redirects that
    led to a page. Features add to `behind` the pages that must be queued behind all others of their host, as indices in
    discoveries.admitted.
    """

    discoveries: Discoveries
    redirects_to: Callable[[int], int]
    given: Collection[int] = NONE
    behind: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Ended:
    """A finished visit to a page, whose links are numbered.

    `retry_at` is when the page is tried again, in epoch seconds; None if the outcome is final. `is_revisit` says that
    the page was stored before. `before` and `after` are records of features, written before and after the record of the
    visit.
    """

    visit: Visit
    url: str
    verdict: Verdict
    answer: Answer | NoAnswer | None
    digest: PageDigest | None
    outlinks: Outlinks
    discoveries: Discoveries
    now: float
    retry_at: float | None = None
    is_revisit: bool = False
    before: list[Record] = field(default_factory=list)
    after: list[Record] = field(default_factory=list)

    @property
    def page(self) -> int:
        """The number of the page."""
        return self.visit.page

    @property
    def is_final(self) -> bool:
        """Whether the page is not tried again."""
        return self.retry_at is None

    @property
    def content_type(self) -> str | None:
        """The Content-Type of the answer; None without an answer or without that field."""
        return self.answer.content_type if isinstance(self.answer, Answer) else None


@dataclass(slots=True)
class ReadPage:
    """A page that was fetched and, if possible, parsed. Mutable: features may change the verdict."""

    visit: Visit
    url: str
    answer: Answer | NoAnswer
    verdict: Verdict
    digest: PageDigest | None
    rules: RobotsRules
    is_revisit: bool


class UpkeepJob(Protocol):
    """A job that runs alongside the visits."""

    @property
    def is_due(self) -> bool:
        """Whether the job has anything to do."""
        ...

    @property
    def is_pressing(self) -> bool:
        """Whether the job must run now rather than at the next regular check."""
        ...

    async def run(self) -> None:
        """Do the job."""
        ...


class HostTaskRunner(Protocol):
    """Makes the requests of one feature to hosts."""

    async def carry_out(self, visit: Visit) -> None:
        """Make a request; return once its result is committed."""

    def give_up(self, visit: Visit, now: float) -> None:
        """Clean up after an unexpected error; end the visit if it is still under way."""


class RevisitOfPage(Protocol):
    """How to revisit one stored page; the visit calls these methods."""

    @property
    def validators(self) -> Validators | None:
        """The validators to send, so that the server may answer 304; None if the page is wanted in full."""
        ...

    async def earlier(self) -> EarlierPage | None:
        """Return the stored version, for comparison with the new one; None if nothing was read before."""
        ...

    async def read(self, digest: PageDigest | None) -> None:
        """Take the digest of what was read; this is called just before the visit is closed."""

    def closed(self, closed: Closed) -> list[Record]:
        """Apply the outcome of the visit; return the records for the store, in their order."""
        ...
