"""The records that are written to the link store, and some values that are read from it: plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hinterland.storage.values.extraction import ExtractedRecord
from hinterland.storage.values.feature_records import FeatureRecord
from hinterland.storage.values.history import ChangeRecord, RevisitRecord
from hinterland.storage.values.hosts import HostStateRecord, SlowedShape
from hinterland.storage.values.shards import AcknowledgedRecord, HandedOver, UnacknowledgedRecord
from hinterland.storage.values.sitemaps import SitemapsRecord
from hinterland.storage.values.soft_404 import ProbedDirectory
from hinterland.storage.values.topics import DrawRecord, JudgementRecord, LearntRecord, RelevanceRecord, TopicRecord

IntArray = NDArray[np.int32]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class HostRecord:
    """A newly discovered host. Hosts are numbered without gaps, from 0, in the order of discovery."""

    number: int
    url: str  # scheme and authority: "https://docs.example.org"
    site: str  # registrable domain


class PageRecord(NamedTuple):
    """A newly discovered page, in the columns of its table.

    It is a tuple because a crawl makes several for every visit, and the database takes tuples. Pages are numbered
    without gaps, from 0, in the order of discovery.
    """

    number: int
    url: str
    host: int
    state: str
    is_local: int  # 0 or 1
    depth: int
    referrer: int | None  # the page whose link or redirect led here; None for a seed
    redirects: int  # length of the redirect chain that led here


@dataclass(frozen=True, slots=True)
class RobotsRecord:
    """The robots.txt of a host as last fetched; times in epoch seconds.

    `text` is None unless the host served a robots.txt. `crawl_delay` is in seconds, exactly as the file demands.
    """

    host: int
    status: int | None
    fetched_at: float
    expires_at: float
    text: bytes | None
    crawl_delay: float | None
    sitemaps: Sequence[str]
    sitemaps_left_out: int = 0  # those beyond the limit


@dataclass(frozen=True, slots=True)
class LinkColumns:
    """The outlinks of one page, column by column, each of length k; (target, kind) pairs are distinct."""

    targets: Sequence[int]
    kinds: bytes
    nofollow: bytes  # 0 or 1
    anchors: Sequence[str]


@dataclass(frozen=True, slots=True)
class ContentRecord:
    """The content of a page.

    `text` and `body` are zstd frames. `headings` is a JSON list of [level, text, anchor], without the anchor if it is
    "". `main` says which blocks of the text are the main content (crawler/parsing/blocks/main_blocks); None if that is
    not known.
    """

    text: bytes | None
    headings: str
    body: bytes | None
    main: bytes | None = None


@dataclass(frozen=True, slots=True)
class VisitRecord:
    """The result of one visit to a page, with all discoveries. It is written whole or not at all.

    `outcome` is the kind of outcome; `detail` explains it to people. `attempt` is 1 for the first visit. `started_at`
    is in epoch seconds. `wire_bytes` and `body_bytes` are the sizes before and after content decoding. `cut` maps the
    name of each limit that was exceeded to the number of items that were shortened or left out. `rendering` is one of
    RENDERINGS, or None.
    """

    visit: int
    page: int
    state: str
    outcome: str
    detail: str
    attempt: int
    started_at: float
    seconds: float
    host_state: HostStateRecord
    retry_at: float | None = None
    status: int | None = None
    content_type: str | None = None
    charset: str | None = None
    wire_bytes: int = 0
    body_bytes: int = 0
    body_hash: bytes | None = None
    etag: str | None = None
    last_modified: str | None = None
    redirect_target: int | None = None
    canonical: int | None = None
    title: str | None = None
    description: str | None = None
    language: str | None = None
    is_noindex: bool = False
    is_nofollow: bool = False
    bad_links: int = 0
    cut: Mapping[str, int] = field(default_factory=dict)
    rendering: str | None = None
    links: LinkColumns | None = None
    content: ContentRecord | None = None
    new_hosts: Sequence[HostRecord] = ()
    new_pages: Sequence[PageRecord] = ()
    admitted: Sequence[tuple[int, int, int]] = ()  # (page, depth, 1 if local) known before, waiting from now on
    localised: Sequence[int] = ()  # pages that waited or were visited as external ones, and turn out to be local
    nearer: Sequence[tuple[int, int]] = ()  # (page, depth) found on a shorter path
    handed_over: Sequence[HandedOver] = ()  # to other shards


@dataclass(frozen=True, slots=True)
class SettledRecord:
    """The final state of a page, if the record of its last failure did not know yet that it was final."""

    page: int
    state: str


@dataclass(frozen=True, slots=True)
class DiscoveriesRecord:
    """Discoveries made without a visit: the seeds, a redirect of robots.txt, a shorter path to a known page."""

    new_hosts: Sequence[HostRecord] = ()
    new_pages: Sequence[PageRecord] = ()
    admitted: Sequence[tuple[int, int, int]] = ()
    localised: Sequence[int] = ()
    nearer: Sequence[tuple[int, int]] = ()
    handed_over: Sequence[HandedOver] = ()


@dataclass(frozen=True, slots=True)
class EstimateRecord:
    """One refresh of the estimate in this run, in the columns of its table.

    `ranks` are packed, see analysis.rank_codec. `error` and `error_at_most` are None if unknown.
    """

    visit: int
    local_pages: int
    outside_pages: int
    estimator: str
    change: float | None
    disagreement: float | None
    seconds: float
    created_at: float
    ranks: bytes
    error: float | None = None
    error_at_most: float | None = None


@dataclass(frozen=True, slots=True)
class RankIntervals:
    """Intervals that contain the true values with a probability of 0.9, in the columns of the table `rank`."""

    spreads: Sequence[float]
    highest_places: Sequence[int]
    lowest_places: Sequence[int]


@dataclass(frozen=True, slots=True)
class RankRecord:
    """PageRanks of local pages by one estimator, or by the domain's own links ("local").

    They replace earlier ranks by the same estimator. `intervals` is None if the intervals are unknown.
    """

    estimator: str
    pages: Sequence[int]
    pageranks: Sequence[float]
    intervals: RankIntervals | None = None


@dataclass(frozen=True, slots=True)
class SlowedShapes:
    """All URL shapes whose pages are visited last now. The record replaces the previous one."""

    shapes: Sequence[SlowedShape]


Record = (
    VisitRecord
    | RevisitRecord
    | SitemapsRecord
    | ProbedDirectory
    | ChangeRecord
    | RelevanceRecord
    | JudgementRecord
    | ExtractedRecord
    | TopicRecord
    | LearntRecord
    | DrawRecord
    | SettledRecord
    | DiscoveriesRecord
    | AcknowledgedRecord
    | UnacknowledgedRecord
    | RobotsRecord
    | HostStateRecord
    | EstimateRecord
    | RankRecord
    | SlowedShapes
    | FeatureRecord
)


@dataclass(frozen=True, eq=False, slots=True)
class StoredOutlinks:
    """The links of every page whose links are known, in the order of the visits.

    The targets of sources[i] are targets[ends[i - 1]:ends[i]]; they are distinct. For each target, `nofollow` tells
    whether all links from this source to it are nofollow.

    For each source, `is_nofollow` tells whether the page declares all its links nofollow, `is_redirect` whether it
    redirects to its target, and `is_broken_off` whether it ends a chain of too many redirects.
    """

    sources: IntArray
    ends: NDArray[np.int64]
    targets: IntArray
    nofollow: BoolArray
    is_nofollow: BoolArray
    is_redirect: BoolArray
    is_broken_off: BoolArray

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of targets of each source."""
        return np.diff(self.ends, prepend=0)


class Reopening(NamedTuple):
    """Selects the pages that are to be queued again.

    They were last visited between `since` and `before` (epoch seconds), with this outcome. `outcome` may also be one of
    RENDERINGS.
    """

    outcome: str
    since: float = -inf
    before: float = inf


@dataclass(frozen=True, eq=False, slots=True)
class StoredPages:
    """Some stored pages, column by column, numbered consecutively from `first`.

    `is_known` and `is_waiting` tell whether a page is in this state. `is_fetched` means that it was fetched as HTML.
    `finders` are the pages on which the pages were first found, -1 for a seed. `visits` and `attempts` are 0 for a page
    that was never visited. `retry_at` is in epoch seconds, or NaN if the page does not wait for a retry.
    """

    first: int
    urls: Sequence[str]
    hosts: IntArray
    is_local: BoolArray
    is_known: BoolArray
    is_waiting: BoolArray
    is_fetched: BoolArray
    depths: IntArray
    finders: IntArray
    redirects: IntArray
    visits: IntArray
    attempts: IntArray
    retry_at: NDArray[np.float64]

    @property
    def numbers(self) -> IntArray:
        """The page numbers, shape (n,)."""
        return np.arange(self.first, self.first + len(self.urls), dtype=np.int32)
