"""Links as the store reports them. Plain values; times are epoch seconds."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinterland.storage.values.pages import NamedPage

if TYPE_CHECKING:  # most readers need no numpy, and importing it takes a tenth of a second
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ShownLink:
    """A link from or to a page; `page` is the page at the other end."""

    page: NamedPage
    state: str
    kind: str
    anchor: str
    is_nofollow: bool


@dataclass(frozen=True, slots=True)
class LinkPortion:
    """Some links in the order of their page numbers.

    `next_after` is where to continue, None at the end. `total` is the number of links, or a lower bound of it if
    `is_exact` is False.
    """

    links: Sequence[ShownLink]
    next_after: int | None
    total: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class StoredLinks:
    """All pages and links of a store.

    Three columns are indexed by page number: the URL, 1 for local pages, and 1 for pages whose links are known because
    they were fetched or redirect. `sources` and `targets` are parallel arrays; a link appears once for each of its
    kinds.
    """

    urls: Sequence[str]
    is_local: bytes
    is_visited: bytes
    sources: array[int]
    targets: array[int]


@dataclass(frozen=True, eq=False)
class StoredCrawl:
    """The n known pages, and the links of the crawled pages, as arrays.

    These arrays have shape (n,): `is_crawled` tells whether the links of a page are known. `outdegrees` is the number
    of its links, 0 if they are unknown. `is_local` tells whether it is local, and `is_fetched` whether it is fetched
    HTML. `hosts` are host numbers. `visits` are the numbers of last visits, from 1 in the order of the crawl, 0 without
    a visit. `is_dead` tells whether a page was requested, returned nothing and will not be requested again.

    `targets` holds the links of page 0, then the links of page 1, and so on. The links of a page are distinct and
    ascending, and none leads to the page itself.
    """

    is_crawled: NDArray[np.bool_]
    outdegrees: NDArray[np.int32]
    targets: NDArray[np.int32]
    is_local: NDArray[np.bool_]
    is_fetched: NDArray[np.bool_]
    hosts: NDArray[np.int32]
    visits: NDArray[np.int32]
    is_dead: NDArray[np.bool_]
