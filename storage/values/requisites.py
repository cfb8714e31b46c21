"""Files that pages need to be shown, as the store keeps them: plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class StoredRequisite(NamedTuple):
    """A requisite that waits, in columns of its table. `depth` counts style sheets, frames and redirects in between."""

    number: int
    url: str
    kind: str
    page: int
    depth: int


@dataclass(frozen=True, slots=True)
class RequisitesFound:
    """The references of a page or, if `inside` is set, of this requisite.

    `new` are requisites that were not known before, and `needed` all of them, by number. `left_out` is how many of the
    page were too many.
    """

    page: int
    needed: Sequence[int]
    new: Sequence[StoredRequisite] = ()
    inside: int | None = None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class RequisiteEnded:
    """The final outcome of a requisite.

    `digest` and `body` (a zstd frame, if kept) are those of its decoded body. `opened_by` names the login that was sent
    for it, such as "bearer"; None if there was none.
    """

    number: int
    outcome: str
    at: float
    detail: str = ""
    status: int | None = None
    content_type: str | None = None
    size: int | None = None
    digest: bytes | None = None
    body: bytes | None = None
    opened_by: str | None = None


class MissingRequisite(NamedTuple):
    """A requisite of a page that was not fetched. `outcome` is None while it waits."""

    url: str
    kind: str
    outcome: str | None
    detail: str | None


class RequisiteCount(NamedTuple):
    """How many requisites had an outcome, and their bytes; `outcome` is None for those that wait."""

    outcome: str | None
    requisites: int
    size: int
