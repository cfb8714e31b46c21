"""Links as the store tells of them. Plain values, no behaviour; times are epoch seconds."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinterland.storage.values.pages import NamedPage

if TYPE_CHECKING:  # most who look at a store need no numpy, and it takes a tenth of a second
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ShownLink:
    """A link, seen from one of its ends: `page` is the other one."""

    page: NamedPage
    state: str
    kind: str
    anchor: str
    is_nofollow: bool


@dataclass(frozen=True, slots=True)
class LinkPortion:
    """Some links in the order of the numbers of their pages. next_after: to be given for those that follow; None at
    the end. total: how many there are; is_exact: False if there are more than that.
    """

    links: Sequence[ShownLink]
    next_after: int | None
    total: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class StoredLinks:
    """All pages and links of a store. By page number: its URL, 1 if it is local, 1 if its links are known because
    it was fetched or redirects. sources and targets are parallel; a link is named once for each of its kinds.
    """

    urls: Sequence[str]
    is_local: bytes
    is_visited: bytes
    sources: array[int]
    targets: array[int]


@dataclass(frozen=True, eq=False)
class StoredCrawl:
    """The n known pages and the links of those that were crawled.

    By page number, shape (n,): is_crawled, whether its links are known; outdegrees, of the others 0; is_local;
    is_fetched, whether it was fetched and is HTML; hosts, the number of its host; visits, the number of its last visit,
    from 1 in the order of the crawl, 0 without one; is_dead, whether it was asked for, is not to be asked for again and
    gave nothing. targets: the links of page 0, then those of page 1 ...; of a page distinct, ascending, without itself.
    """

    is_crawled: NDArray[np.bool_]
    outdegrees: NDArray[np.int32]
    targets: NDArray[np.int32]
    is_local: NDArray[np.bool_]
    is_fetched: NDArray[np.bool_]
    hosts: NDArray[np.int32]
    visits: NDArray[np.int32]
    is_dead: NDArray[np.bool_]
