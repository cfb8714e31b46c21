"""What the loop and its features tell each other at the moments of a crawl. Pure."""

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
    """What has become known at once. given: pages that other shards of the crawl know of already; redirects_to: the
    length of the chain of redirects that led to a page. behind: places in discoveries.admitted, set by features, of
    pages that wait behind all others of their host.
    """

    discoveries: Discoveries
    redirects_to: Callable[[int], int]
    given: Collection[int] = NONE
    behind: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Ended:
    """A visit to a page that has ended. verdict, outlinks: None before the links are numbered. retry_at: when the page
    is tried again, epoch seconds; None if the outcome is final. is_revisit: the page was stored before.

    before, after: records of features, written before and after that of the visit.
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
        return self.visit.page

    @property
    def is_final(self) -> bool:
        return self.retry_at is None

    @property
    def content_type(self) -> str | None:
        return self.answer.content_type if isinstance(self.answer, Answer) else None


@dataclass(slots=True)
class ReadPage:
    """A page whose answer has come, and that was read if it could be. Mutable: features may change the verdict."""

    visit: Visit
    url: str
    answer: Answer | NoAnswer
    verdict: Verdict
    digest: PageDigest | None
    rules: RobotsRules
    is_revisit: bool


class UpkeepJob(Protocol):
    """Something that is done beside the visits."""

    @property
    def is_due(self) -> bool:
        """Whether there is anything to do."""
        ...

    @property
    def is_pressing(self) -> bool:
        """Whether it is to be done now, and not only when the time has come to look."""
        ...

    async def run(self) -> None: ...


class HostTaskRunner(Protocol):
    """Carries out tasks of a kind at hosts."""

    async def carry_out(self, visit: Visit) -> None:
        """Return once what came of it is committed."""

    def give_up(self, visit: Visit, now: float) -> None:
        """Something went wrong unexpectedly; the visit is over if it is still under way."""


class RevisitOfPage(Protocol):
    """How a page is visited that is stored already."""

    @property
    def validators(self) -> Validators | None:
        """To send, so that the server need not send the page again; None: it is wanted in full."""
        ...

    async def earlier(self) -> EarlierPage | None:
        """What a new version is compared with; None if nothing was read before."""
        ...

    async def read(self, digest: PageDigest | None) -> None:
        """The visit is about to be closed; digest: of what was read."""

    def closed(self, closed: Closed) -> list[Record]:
        """Make the end of the visit true; returns the records that tell the store, in their order."""
        ...
