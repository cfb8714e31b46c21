"""The tables of a store, and what has to be known of each beside its columns.

A new table is an entry here and a migration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Joining(Enum):
    """What becomes of the rows of a table when the parts of a crawl are joined to one store."""

    NUMBERED = "each part's are added, with the numbers that pages and hosts have in the whole"
    ALIKE = "they hold no such numbers, and rows that several parts have are the same"
    LEFT_OUT = "they say nothing of the whole crawl"
    MADE = "joining makes them"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """pages: the columns that hold numbers of pages; host: the one with the number of a host, where no page tells it.
    is_read: its rows are what the page in the first of these columns said, and go when that is to be read in another
    way. is_fixed: it is the same in every store, whatever was crawled.
    """

    joining: Joining = Joining.NUMBERED
    pages: tuple[str, ...] = ()
    host: str = ""
    is_read: bool = False
    is_fixed: bool = False


TABLES: Final[Mapping[str, Table]] = {
    "topic": Table(joining=Joining.ALIKE),
    "learnt": Table(joining=Joining.LEFT_OUT),
    "relevance": Table(pages=("page",), is_read=True),
    "drawn": Table(pages=("page",)),
    "record": Table(pages=("page",), is_read=True),
    "extracted": Table(pages=("page",), is_read=True),
    "extraction": Table(joining=Joining.ALIKE),
    "look": Table(pages=("page",)),
    "change": Table(pages=("page",)),
    "sitemap": Table(joining=Joining.ALIKE),
    "signal": Table(host="host"),
    "probed": Table(joining=Joining.ALIKE),
    "slowed": Table(host="host"),
    "rank": Table(joining=Joining.LEFT_OUT),
    "estimate": Table(joining=Joining.LEFT_OUT),
    "handed_over": Table(joining=Joining.LEFT_OUT),
    "shard": Table(joining=Joining.LEFT_OUT),
    "link": Table(pages=("source", "target"), is_read=True),
    "content": Table(pages=("page",), is_read=True),
    "fetch": Table(pages=("page", "redirect_target", "canonical")),
    "page": Table(joining=Joining.MADE),
    "page_count": Table(joining=Joining.MADE),
    "robots": Table(host="host"),
    "host": Table(joining=Joining.MADE),
    "run": Table(joining=Joining.MADE),
    "link_kind": Table(joining=Joining.MADE, is_fixed=True),
    "migration": Table(joining=Joining.MADE, is_fixed=True),
}
"""Name -> table; those that refer to others come before them. learnt, rank and estimate are of the links that one part
knows."""


def joined(how: Joining) -> list[str]:
    """The names of the tables that are joined in one way."""
    return [name for name, table in TABLES.items() if table.joining is how]
