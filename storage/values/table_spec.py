"""How a table of a store is treated when pages are reopened, shards are joined, or a copy is made. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Joining(Enum):
    """What happens to the rows of a table when the shards of a crawl are joined into one store."""

    NUMBERED = "the rows of all shards are added, with page and host numbers translated"
    ALIKE = "they hold no such numbers, and rows with the same key are the same in all shards"
    LEFT_OUT = "they say nothing about the whole crawl"
    MADE = "joining creates them"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpec:
    """How a table is treated.

    `pages` names the columns that hold page numbers. `host` names the column with a host number, where no page implies
    it. `is_read` marks tables whose rows come from the content of the page in the first of these columns, and are
    deleted when it is to be read in another way. `is_fixed` marks tables that are the same in every store. `hidden` is
    an SQL condition for rows that a public copy leaves out: a login opened what they are about, or they belong to rows
    that are left out.
    """

    joining: Joining = Joining.NUMBERED
    pages: tuple[str, ...] = ()
    host: str = ""
    is_read: bool = False
    is_fixed: bool = False
    hidden: str = ""
