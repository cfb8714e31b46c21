"""Broken links as the store reports them. Plain values; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinterland.storage.values.pages import NamedPage

if TYPE_CHECKING:  # most readers need no numpy, and importing it takes a tenth of a second
    import numpy as np
    from numpy.typing import NDArray

REDIRECT_LOOP = "redirect_loop"
"""The outcome, in reports only, of a page whose redirects lead back to itself. (Its own visit did not fail.)"""
HOST_GIVEN_UP = "host_given_up"
"""The outcome, in reports only, of a page that was never requested because its host never answered."""


@dataclass(frozen=True, slots=True)
class BrokenKind:
    """A reason why pages are broken, and how many are.

    `pages` counts the broken pages. `links` is the sum of the numbers of pages that link to each of them; None while
    links are not sorted.
    """

    outcome: str
    status: int | None
    pages: int
    links: int | None


@dataclass(frozen=True, eq=False, slots=True)
class BrokenTargets:
    """All n broken pages, in descending order of the number of linking pages.

    Four arrays have shape (n,): `pages` are page numbers; `linking_pages` counts the pages that link to each page,
    directly or through redirects; `kinds` holds the index of each page's reason in `by_kind`; `hosts` are host numbers.
    While the links of a store of an earlier version are being sorted, `knows_links` is False and `linking_pages` is 0.
    `ways` maps a broken page to the pages that redirect to it, if there are any.
    """

    pages: NDArray[np.int64]
    linking_pages: NDArray[np.int64]
    kinds: NDArray[np.int32]
    hosts: NDArray[np.int64]
    by_kind: Sequence[BrokenKind]
    knows_links: bool
    ways: dict[int, list[int]]


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A link that leads to a broken page.

    `via` is the page that the link names, if this page redirects to the broken page. It is None if the link names the
    broken page itself.
    """

    source: NamedPage
    anchor: str
    kind: str
    is_nofollow: bool
    via: NamedPage | None


@dataclass(frozen=True, slots=True)
class BrokenPage:
    """A broken page and some of the links to it.

    `linking_pages` counts the pages that link to it; None while links are not sorted. `visited_at` is None if its
    host never answered.
    """

    page: NamedPage
    outcome: str
    status: int | None
    detail: str
    visited_at: float | None
    linking_pages: int | None
    links: Sequence[BrokenLink]
