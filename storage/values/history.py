"""What is known of a page that is looked at again, and what each look tells. Plain values; times are epoch seconds."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from hinterland.storage.values.hosts import HostStateRecord

CHANGE_KINDS = ("new", "changed", "moved", "gone", "back")
"""new: found and read since; moved: it redirects now; back: it was gone, or moved, and is a page again."""


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """The version of a page that is stored. outcome, detail, attempt, visited_at: of the visit it is of. missed,
    missing_since: looks in a row that did not find it, and the first of them. has_body: whether its body is kept.
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
        """Whether it is a page, or a file of a type that is not read."""
        return self.outcome in ("fetched", "other_type")


@dataclass(frozen=True, slots=True)
class StoredSignals:
    """What is known of a kind of signals of change of a host. looks: at pages that it had named. precision: how likely
    such a signal is true; recall: the share of the changes that it tells of; seen: what looks have shown, packed.
    """

    host: int
    kind: str
    looks: float
    precision: float
    recall: float
    seen: bytes


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """What a schedule knows of a page. due: when it is to be looked at again, epoch seconds; rate: changes a second;
    seen: what its visits have shown, as `change_evidence` packs it; signals: of its host, if there were any.
    """

    due: float
    rate: float
    seen: bytes
    signals: Sequence[StoredSignals] = ()


@dataclass(frozen=True, slots=True)
class SettledPages:
    """The pages that were visited and do not wait, column by column. ranks: their PageRank as it is shown, 0 for those
    without. visited_at: when each was visited or looked at last, epoch seconds. evidence: None for a page of which no
    schedule has learnt anything.
    """

    pages: array[int]
    ranks: array[float]
    visited_at: array[float]
    evidence: Sequence[PageEvidence | None]


@dataclass(frozen=True, slots=True)
class RevisitRecord:
    """A look that found the page that is stored, or did not find it. is_missed: the latter. etag, last_modified,
    body_hash: what it is to be known by from now on; body: a zstd frame, if none was kept; None leaves what is stored.
    evidence: if it is learnt. host_state:
    how its host stands now, if the look made a request.
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
        """Whether anything is to be known otherwise from now on."""
        return (self.etag, self.last_modified, self.body_hash) != (None, None, None)


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """A look that found another page than is stored; its VisitRecord follows. kind: one of CHANGE_KINDS. share: of the
    words of its content that are new or gone, None if that is unknown. before: see storage.values.versions.
    keeps: so many earlier texts of the page are kept. forgets: nothing of the old page is true any more.
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
    """A change as the store tells of it. number: counts up as changes are found. has_before: whether the text before is
    kept.
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
    """How true a store is whose pages were looked at again. pages: that are read; learnt: of how many is known how
    often they change; current: the share of these, weighted by importance, whose copy is probably current, None
    without any; oldest_at: when the page was looked at that was not for the longest time, epoch seconds.
    """

    pages: int
    learnt: int
    current: float | None
    oldest_at: float


@dataclass(frozen=True, slots=True)
class RevisitSummary:
    """How a page fared when it was looked at again. changes: so many of the looks found another page. missed: looks in
    a row that did not find it. due: when a schedule wants it looked at again; rate: changes a second; None without
    one.
    """

    looked_at: float
    looks: int
    changes: int
    changed_at: float | None
    missed: int
    due: float | None
    rate: float | None
