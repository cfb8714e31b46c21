"""What is known about revisited pages, and the result of each revisit. Plain values; times are epoch seconds."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from hinterland.storage.values.hosts import HostStateRecord

CHANGE_KINDS = ("new", "changed", "moved", "gone", "back")
"""The kinds of changes.

"new" is a page that a recrawl has found and read, "moved" a page that redirects now, and "back" a page that was gone or
had moved and is there again.
"""


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """The stored version of a page.

    `outcome`, `detail`, `attempt` and `visited_at` come from the visit that fetched it. `missed` counts the latest
    consecutive revisits that did not find the page, and `missing_since` is the time of the first of them. `has_body`
    tells whether the body of this version is stored.
    """

    page: int
    outcome: str
    detail: str
    attempt: int
    visited_at: float
    body_hash: bytes | None = None
    etag: str | None = None
    last_modified: str | None = None
    content_type: str | None = None
    redirect_target: int | None = None
    title: str | None = None
    missed: int = 0
    missing_since: float | None = None
    has_body: bool = False

    @property
    def is_read(self) -> bool:
        """Whether the server sent content: a page, or a file of a type that is not parsed."""
        return self.outcome in ("fetched", "other_type")


@dataclass(frozen=True, slots=True)
class StoredSignals:
    """How reliable one kind of change signals of a host is.

    `looks` counts revisits of pages for which there was a signal. `precision` is the probability that a signal is true,
    `recall` the share of changes that are signalled. `seen` is the packed evidence of revisits.
    """

    host: int
    kind: str
    looks: float
    precision: float
    recall: float
    seen: bytes


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """What a revisit schedule knows about a page.

    `due` is when to revisit the page, in epoch seconds. `rate` is in changes per second. `seen` is the evidence of its
    visits, as packed by `change_evidence`. `signals` are the change signals of its host, if any.
    """

    due: float
    rate: float
    seen: bytes
    signals: Sequence[StoredSignals] = ()


@dataclass(frozen=True, slots=True)
class SettledPages:
    """The pages that were visited and are not queued, column by column.

    `ranks` are PageRanks as shown, 0 for unranked pages. `visited_at` is the time of the last visit or revisit, in
    epoch seconds. `evidence` is None for a page about which no schedule knows anything.
    """

    pages: array[int]
    ranks: array[float]
    visited_at: array[float]
    evidence: Sequence[PageEvidence | None]


@dataclass(frozen=True, slots=True)
class RevisitRecord:
    """A revisit that found the stored version of a page or, with `is_missed`, did not find the page.

    `etag`, `last_modified` and `body_hash` identify the version and replace the stored values; None keeps the stored
    value. `body` is a zstd frame if no body was stored before, else None. `evidence` is set if it has changed.
    `host_state` is the current state of the host, if the revisit made a request.
    """

    page: int
    at: float
    is_missed: bool = False
    etag: str | None = None
    last_modified: str | None = None
    body_hash: bytes | None = None
    body: bytes | None = None
    evidence: PageEvidence | None = None
    host_state: HostStateRecord | None = None

    @property
    def renews(self) -> bool:
        """Whether the revisit replaces a stored value that identifies the version."""
        return (self.etag, self.last_modified, self.body_hash) != (None, None, None)


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """A revisit that found another version of a page. The VisitRecord of the new version follows it.

    `kind` is one of CHANGE_KINDS. `share` is the fraction of the content's words that are new or gone; None if unknown.
    `before` holds the earlier text, see storage.values.versions. `keeps` is how many earlier texts of the page are
    kept. `forgets` means that everything stored about the page is out of date.
    """

    page: int
    at: float
    kind: str
    share: float | None = None
    before: bytes | None = None
    keeps: int = 0
    forgets: bool = False
    evidence: PageEvidence | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A change as the store reports it.

    `number` is higher for changes that were found later. `has_before` tells whether the earlier text is stored.
    """

    number: int
    page: int
    url: str
    title: str | None
    at: float
    kind: str
    share: float | None
    has_before: bool


@dataclass(frozen=True, slots=True)
class Freshness:
    """How current a store of revisited pages is.

    `pages` counts pages that were read, and `learnt` the pages among them with a known change rate. `current` is the
    fraction of the latter whose copy is probably current, weighted by importance; None if there are none. `oldest_at`
    is the earliest time of a page's last visit, in epoch seconds.
    """

    pages: int
    learnt: int
    current: float | None
    oldest_at: float


@dataclass(frozen=True, slots=True)
class RevisitSummary:
    """All revisits of a page in summary.

    `looks` counts the revisits, and `looked_at` is the time of the last one. `changes` counts the revisits that found
    another version. `missed` counts the latest consecutive revisits that did not find the page. `due` is when a
    schedule wants to revisit the page, and `rate` is in changes per second; both are None without a schedule.
    """

    looked_at: float
    looks: int
    changes: int
    changed_at: float | None
    missed: int
    due: float | None
    rate: float | None
