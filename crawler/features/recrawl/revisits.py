"""Decides what the outcome of a revisit means for a stored page. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, Protocol

from hinterland.crawler.features.recrawl.revisit_statistics import FreshnessOutlook, RevisitStatistics
from hinterland.crawler.features.recrawl.settings import RevisitSettings
from hinterland.crawler.features.recrawl.signals import SignalKind
from hinterland.crawler.fetching.outcomes import OutcomeKind, final_state
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.pages.page_state import PageState
from hinterland.crawler.loop.decisions.feature import READ_AHEAD
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.storage.values.history import ChangeRecord, PageEvidence, RevisitRecord, StoredVersion
from hinterland.storage.values.times import DAY

GONE_AT_ONCE: Final = 410
_READ: Final = frozenset({OutcomeKind.FETCHED, OutcomeKind.OTHER_TYPE})
_OF_THE_HOST: Final = frozenset(
    {
        *(OutcomeKind.UNAVAILABLE, OutcomeKind.THROTTLED, OutcomeKind.SERVER_ERROR, OutcomeKind.FORBIDDEN_ADDRESS),
        *(OutcomeKind.DNS_FAILURE, OutcomeKind.CONNECT_FAILURE, OutcomeKind.CONNECT_TIMEOUT, OutcomeKind.TLS_FAILURE),
        *(OutcomeKind.FIRST_BYTE_TIMEOUT, OutcomeKind.BODY_TIMEOUT, OutcomeKind.SLOW_BODY, OutcomeKind.DISCONNECTED),
        *(OutcomeKind.BAD_RESPONSE, OutcomeKind.TRUNCATED, OutcomeKind.PARSE_TIMEOUT, OutcomeKind.PARSER_CRASH),
        *(OutcomeKind.CHALLENGED, OutcomeKind.INTERNAL_ERROR),
    }
)
"""Outcomes that show a problem but not whether the page still exists."""


_READ_FAR_AHEAD: Final = 256
_FEW_AHEAD: Final = 8_192
"""While fewer than _FEW_AHEAD stored versions are in memory, the versions of a host's next _READ_FAR_AHEAD pages are
read together. A version takes a few hundred bytes.
"""


class Finding(StrEnum):
    """What a revisit of a stored page found, with the names used in the statistics and the store."""

    SAME = "same"
    CHANGED = "changed"
    MOVED = "moved"
    GONE = "gone"
    BACK = "back"
    MISSED = "missed"  # not there, or not readable, this time


STANDS: Final = frozenset({Finding.SAME, Finding.MISSED})
"""The findings after which the stored version is kept."""


class VersionReader(Protocol):
    """Reads the stored versions of pages."""

    async def versions(self, pages: Sequence[int]) -> Mapping[int, StoredVersion]:
        """Return the versions by page; pages that the store does not know are left out."""

    async def text(self, page: int) -> bytes:
        """Return the visible text as a zstd frame; b"" if none is kept."""

    async def targets(self, page: int) -> frozenset[int]:
        """Return the pages that the links of a page lead to."""


class RevisitPlanning(Protocol):
    """Plans repeated revisits of stored pages."""

    def add(self, page: int, host: int, at: float) -> None:
        """Add a page that was visited for the first time."""

    def revisited(
        self, page: int, host: int, *, has_changed: bool, is_missed: bool, at: float, moved_to: int | None = None
    ) -> PageEvidence:
        """Record a finished revisit; return what is known about the page now.

        `moved_to` is the page that this one redirects to now.
        """
        ...

    def visited_at(self, page: int) -> float:
        """Return when a page was last visited, in epoch seconds."""
        ...

    def signalled(self, page: int, kind: SignalKind, at: float) -> None:
        """Record a signal that a page changed at the time `at`, in epoch seconds."""

    def outlook(self, now: float) -> FreshnessOutlook | None:
        """Return the freshness to expect of the revisits; None if unknown."""
        ...


class Revisits:
    """Which pages are stored, and what revisits have found. Mutable.

    The versions of pages that will be visited soon are read ahead, because a query of the store costs as much as
    reading forty rows.
    """

    def __init__(
        self,
        settings: RevisitSettings,
        store: VersionReader,
        pages: Sequence[int],
        planner: RevisitPlanning | None = None,
    ) -> None:
        """Start with `pages`, the numbers of the stored pages.

        `planner` plans their repeated revisits; without a planner, each page is revisited once.
        """
        self.settings = settings
        self.store = store
        self._planner = planner
        self._stored = set(pages)
        self._left = set[int]() if planner else set(pages)
        self._ahead: dict[int, StoredVersion] = {}
        self._counts = Counter[str]()
        self._put_off: dict[int, Finding] = {}

    @property
    def read_ahead(self) -> int:
        """How many pages of a host to read ahead."""
        return _READ_FAR_AHEAD if len(self._ahead) < _FEW_AHEAD else READ_AHEAD

    def is_revisit(self, page: int) -> bool:
        """Return whether a visit to this page would be a revisit of a stored page."""
        return page in self._stored

    def visited_at(self, page: int) -> float | None:
        """Return when a page with planned revisits was last visited, in epoch seconds; None for other pages."""
        if self._planner is None or page not in self._stored:
            return None
        return self._planner.visited_at(page)

    def signalled(self, page: int, kind: SignalKind, at: float) -> None:
        """Record a signal that a page changed at a time, in epoch seconds."""
        if self._planner is not None and page in self._stored:
            self._planner.signalled(page, kind, at)

    def version_at_hand(self, page: int) -> StoredVersion | None:
        """Remove and return the stored version of a page if it was read ahead; otherwise return None."""
        return self._ahead.pop(page, None)

    async def version(self, page: int, ahead: Sequence[int]) -> StoredVersion:
        """Return the stored version of a page, and read those of the next pages, `ahead`, in the same query."""
        wanted = [page, *(each for each in ahead if each != page and each in self._stored and each not in self._ahead)]
        self._ahead.update(await self.store.versions(wanted))
        return self._ahead.pop(page)

    def read_first(self, page: int, host: int, kind: OutcomeKind, at: float) -> list[ChangeRecord]:
        """Record the final visit to a page that was not stored yet; return records for the store."""
        self._stored.add(page)
        if self._planner is not None:
            self._planner.add(page, host, at)
        if kind is not OutcomeKind.FETCHED:
            return []
        self._counts["new"] += 1
        return [ChangeRecord(page, at, "new")]

    def put_off(self, page: int, found: Finding) -> None:
        """Record a failed revisit that will be retried, or whose host may be at fault.

        `found` becomes the finding of the revisit if no further attempt is made.
        """
        self._put_off[page] = found

    def failed(self, page: int, host: int, at: float) -> list[RevisitRecord]:
        """Record that a page was given up after its revisit had ended; return records for the store."""
        found = self._put_off.get(page, Finding.MISSED)
        evidence = self.ended(page, host, found, at)
        return [RevisitRecord(page, at, is_missed=found is Finding.MISSED, evidence=evidence)]

    def ended(
        self, page: int, host: int, found: Finding, at: float, leads_to: int | None = None
    ) -> PageEvidence | None:
        """Record a finished revisit; return the evidence about the page's changes, or None if there is no planner.

        `leads_to` is the page that a redirect leads to; if the page has moved there, its evidence moves, too.
        """
        self._left.discard(page)
        self._put_off.pop(page, None)
        self._counts[found] += 1
        if self._planner is None:
            return None
        return self._planner.revisited(
            page,
            host,
            has_changed=found not in STANDS,
            is_missed=found is Finding.MISSED,
            at=at,
            moved_to=leads_to if found is Finding.MOVED else None,
        )

    def statistics(self, now: float) -> RevisitStatistics:
        """Return the revisits of this run by finding, and the outlook at `now`, in epoch seconds."""
        outlook = None if self._planner is None else self._planner.outlook(now)
        return RevisitStatistics(dict(self._counts.most_common()), len(self._left), outlook)


def finding(
    stored: StoredVersion,
    verdict: Verdict,
    digest: PageDigest | None,
    *,
    leads_to: int | None,
    has_new_links: bool,
    at: float,
    settings: RevisitSettings,
) -> Finding:
    """Return the finding that follows from the outcome of a revisit.

    `leads_to` is the page that a redirect leads to, if known. `has_new_links` says that the content links to pages to
    which the stored version does not link. `at` is the time of the revisit, in epoch seconds.
    """
    kind, was = verdict.kind, OutcomeKind(stored.outcome)
    if verdict.is_same:
        return Finding.SAME
    if kind in _READ:
        if was not in _READ:
            return Finding.BACK
        return _of_content(stored, verdict, digest, has_new_links=has_new_links)
    if kind is OutcomeKind.REDIRECTED:
        is_same = was is OutcomeKind.REDIRECTED and leads_to is not None and leads_to == stored.redirect_target
        return Finding.SAME if is_same else Finding.MOVED
    if kind is OutcomeKind.ROBOTS:
        return Finding.SAME if was is kind or settings.keep_forbidden else Finding.GONE
    if final_state(was) is PageState.FAILED:
        return Finding.SAME if kind is was else Finding.MISSED
    if kind in _OF_THE_HOST:
        return Finding.MISSED
    if verdict.status == GONE_AT_ONCE:
        return Finding.GONE
    since = at if stored.missing_since is None else stored.missing_since
    is_enough = stored.missed + 1 >= settings.gone_after_looks and at - since >= settings.gone_after_days * DAY
    return Finding.GONE if is_enough else Finding.MISSED


def _of_content(stored: StoredVersion, verdict: Verdict, digest: PageDigest | None, *, has_new_links: bool) -> Finding:
    if verdict.kind is OutcomeKind.OTHER_TYPE:
        return Finding.SAME if stored.outcome == verdict.kind and stored.detail == verdict.detail else Finding.CHANGED
    comparison = None if digest is None else digest.comparison
    if comparison is None:
        return Finding.CHANGED
    return Finding.CHANGED if comparison.share or has_new_links else Finding.SAME


def has_new_links(
    places: Collection[int],
    urls: Iterable[str],
    targets: Sequence[int],
    before: Collection[int],
    find: Callable[[str], int | None],
) -> bool:
    """Return whether content links to pages to which the stored version does not link.

    `places` are the positions of links in the content, not in menus. `urls` and `targets` hold the URL and the page
    number of each link of the page; the number is -1 for links that are not kept. `before` holds the pages that the
    stored version links to. `find` returns the page number of a URL. A link that differs from an earlier one only by
    http or https is not new.
    """
    new = [place for place in places if targets[place] >= 0 and targets[place] not in before]
    if not new:
        return False
    written = list(urls)
    return any(find(_by_the_other_scheme(written[place])) not in before for place in new)


def _by_the_other_scheme(url: str) -> str:
    scheme, _, rest = url.partition(":")
    return f"{'http' if scheme == 'https' else 'https'}:{rest}"
