"""Compares a list of inlinks with a crawl, and adds the links that the crawl lacks to the estimate of ranks.

Some rows can be checked, since the crawl has fetched the pages that they name. The links that the crawl found show how
much of the web the list covers. Rows that the crawl proves false show how far the list can be trusted: if most are
false, the list is not used at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.unseen_inlinks import UnseenInlinks, with_unseen_inlinks
from hinterland.analysis.graph import FloatArray
from hinterland.library.other_sources.inlink_rows import InlinkRow

_MOST_COUNTED: Final = 10_000
"""Larger numbers of outside pages that link to one page count as this number."""
_ENOUGH_FALSE: Final = 5
_USUAL_OUTLINKS: Final = 10.0
"""The assumed number of links of an outside page, if none that links to the domain was fetched."""


@dataclass(frozen=True, slots=True)
class InlinkAnswer:
    """What a list of inlinks contributed.

        rows          all rows
        unreadable    rows that are not rows of inlinks
        elsewhere     rows that do not name a link from outside to a fetched page of the domain
        found         links that the crawl found, too
        false         links that fetched pages do not have
        waiting       links from known pages that were not fetched
        unseen        links from unknown pages
        coverage      the share of the links found by the crawl that the list also names; None if it names no referrers
        moved         the L1 distance by which the list moved the estimate
        is_used       False if too many rows are false

    The first three are numbers of rows, the next four numbers of links. A row with a number of pages counts as that
    many links.
    """

    rows: int = 0
    unreadable: int = 0
    elsewhere: int = 0
    found: int = 0
    false: int = 0
    waiting: int = 0
    unseen: int = 0
    coverage: float | None = None
    moved: float = 0.0
    is_used: bool = True


def with_inlinks(
    rows: Iterable[InlinkRow | None],
    crawled: CrawledGraph,
    ranks: FloatArray,
    number_of: Callable[[str], int | None],
    most_moved: float,
) -> tuple[FloatArray, InlinkAnswer]:
    """Return the ranks of crawled.local, shape (n,), corrected by a list of inlinks, and what the list contributed.

    `number_of` maps a URL to the number of its page in the crawl; None if the crawl does not know it. The ranks move by
    at most `most_moved` (L1).
    """
    compared = _Compared(crawled, number_of)
    for row in rows:
        compared.add(row)
    answer, unseen = compared.answer(), compared.unseen()
    if not answer.is_used or not len(unseen.targets):
        return ranks, answer
    degrees = np.diff(crawled.links.offsets)[crawled.local].astype(np.int32)
    inside = crawled.links.among(crawled.local)
    corrected, moved = with_unseen_inlinks(ranks, inside, degrees, unseen, most_moved)
    return corrected, replace(answer, moved=moved)


class _Compared:
    """A list of inlinks compared with a crawl, row by row. Mutable."""

    def __init__(self, crawled: CrawledGraph, number_of: Callable[[str], int | None]) -> None:
        """Start before the first row."""
        self._crawled, self._number_of = crawled, number_of
        self._places = np.full(crawled.page_count, -1, np.int32)
        self._places[crawled.local] = np.arange(len(crawled.local), dtype=np.int32)
        links = crawled.links
        comes_in = ~crawled.is_local[links.sources] & (self._places[links.targets] >= 0)
        self._found_by_crawl = np.bincount(self._places[links.targets[comes_in]], minlength=len(crawled.local))
        degrees = np.diff(links.offsets)[np.unique(links.sources[comes_in])]
        self._usual = float(1 / np.mean(1 / degrees)) if len(degrees) else _USUAL_OUTLINKS
        self._seen_rows = set[tuple[str | None, str]]()
        self._counts: Counter[str] = Counter()
        self._unseen: dict[str, list[int]] = {}
        self._counted: dict[int, int] = {}

    def add(self, row: InlinkRow | None) -> None:
        """Compare a row; None means a row that could not be read."""
        self._counts["rows"] += 1
        if row is None:
            self._counts["unreadable"] += 1
        elif (row.referrer, row.target) not in self._seen_rows:
            self._seen_rows.add((row.referrer, row.target))
            number = self._number_of(row.target)
            place = -1 if number is None else int(self._places[number])
            if number is None or place < 0:
                self._counts["elsewhere"] += 1
            elif row.referrer is None:
                self._counted[place] = min(row.count, _MOST_COUNTED)
            else:
                self._compare(row.referrer, number, place)

    def _compare(self, referrer: str, target: int, place: int) -> None:
        source = self._number_of(referrer)
        if source is None:
            self._counts["unseen"] += 1
            self._unseen.setdefault(referrer, []).append(place)
        elif self._crawled.is_local[source]:
            self._counts["elsewhere"] += 1
        elif not self._crawled.is_crawled[source]:
            self._counts["waiting"] += 1
        else:
            is_true = bool((self._crawled.links.successors(source) == target).any())
            self._counts["found" if is_true else "false"] += 1

    def answer(self) -> InlinkAnswer:
        """Return how many rows are of each kind, and whether the list is used."""
        counts = self._counts
        is_used = counts["false"] < max(_ENOUGH_FALSE, counts["found"])
        by_count = sum(self._lacking().values())
        counts = counts + Counter(unseen=by_count)
        return InlinkAnswer(**counts, coverage=self._coverage(), is_used=is_used)

    def unseen(self) -> UnseenInlinks:
        """Return the links that the crawl lacks."""
        targets, outlinks = list[int](), list[float]()
        for places in self._unseen.values():
            targets += places
            outlinks += [max(float(len(places)), self._usual)] * len(places)
        for place, count in self._lacking().items():
            targets += [place] * count
            outlinks += [self._usual] * count
        coverage = self._coverage()
        return UnseenInlinks(np.array(targets, np.int32), np.array(outlinks), 1.0 if coverage is None else coverage)

    def _lacking(self) -> dict[int, int]:
        """Return how many inlinks the crawl has not found, for pages whose rows give their number of inlinks."""
        found = self._found_by_crawl
        return {place: count - int(found[place]) for place, count in self._counted.items() if count > found[place]}

    def _coverage(self) -> float | None:
        """Return the share of the links found by the crawl that the list names; None if the list has no referrers."""
        if all(referrer is None for referrer, _ in self._seen_rows):
            return None
        return (self._counts["found"] + 1) / (int(self._found_by_crawl.sum()) + 1)
