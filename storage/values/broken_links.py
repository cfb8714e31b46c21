"""Links that lead nowhere as the store tells of them. Plain values, no behaviour; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinterland.storage.values.pages import NamedPage

if TYPE_CHECKING:  # most who look at a store need no numpy, and it takes a tenth of a second
    import numpy as np
    from numpy.typing import NDArray

REDIRECT_LOOP = "redirect_loop"
"""The outcome, for reports, of a page whose redirects lead back to itself: each of its visits went well."""
HOST_GIVEN_UP = "host_given_up"
"""The outcome, for reports, of a page that was not asked for because its host never answered."""


@dataclass(frozen=True, slots=True)
class BrokenKind:
    """Why pages gave nothing. links: to them, one for each page that has any to one of them; None while nobody knows
    who links there.
    """

    outcome: str
    status: int | None
    pages: int
    links: int | None


@dataclass(frozen=True, eq=False, slots=True)
class BrokenTargets:
    """All n pages that links lead to in vain, those that most pages link to first.

    Shape (n,): pages, their numbers; linking_pages, how many pages link to each, be it by way of redirects; kinds, the
    place of each in `by_kind`; hosts, the number of its host. knows_links: False while a crawl runs, which keeps no
    index of who links where; then linking_pages are 0. ways: the redirecting pages that end at a page, by its number;
    those at which none ends are left out.
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
    """A link that leads to a broken page. via: the redirecting page it names; None if it names the broken one."""

    source: NamedPage
    anchor: str
    kind: str
    is_nofollow: bool
    via: NamedPage | None


@dataclass(frozen=True, slots=True)
class BrokenPage:
    """A page that links lead to in vain, and some of these links. linking_pages: how many pages have such a link;
    None while nobody knows who links there. visited_at: None if its host never answered.
    """

    page: NamedPage
    outcome: str
    status: int | None
    detail: str
    visited_at: float | None
    linking_pages: int | None
    links: Sequence[BrokenLink]
