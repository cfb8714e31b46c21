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
class TableSpec:
    """pages: the columns that hold numbers of pages; host: the one with the number of a host, where no page tells it.
    is_read: its rows are what the page in the first of these columns said, and go when that is to be read in another
    way. is_fixed: it is the same in every store, whatever was crawled.
    """

    joining: Joining = Joining.NUMBERED
    pages: tuple[str, ...] = ()
    host: str = ""
    is_read: bool = False
    is_fixed: bool = False


TABLES: Final[Mapping[str, TableSpec]] = {
    "topic": TableSpec(joining=Joining.ALIKE),
    "learnt": TableSpec(joining=Joining.LEFT_OUT),
    "relevance": TableSpec(pages=("page",), is_read=True),
    "drawn": TableSpec(pages=("page",)),
    "record": TableSpec(pages=("page",), is_read=True),
    "extracted": TableSpec(pages=("page",), is_read=True),
    "extraction": TableSpec(joining=Joining.ALIKE),
    "look": TableSpec(pages=("page",)),
    "change": TableSpec(pages=("page",)),
    "sitemap": TableSpec(joining=Joining.ALIKE),
    "signal": TableSpec(host="host"),
    "probed": TableSpec(joining=Joining.ALIKE),
    "slowed": TableSpec(host="host"),
    "rank": TableSpec(joining=Joining.LEFT_OUT),
    "estimate": TableSpec(joining=Joining.LEFT_OUT),
    "handed_over": TableSpec(joining=Joining.LEFT_OUT),
    "shard": TableSpec(joining=Joining.LEFT_OUT),
    "link": TableSpec(pages=("source", "target"), is_read=True),
    "content": TableSpec(pages=("page",), is_read=True),
    "fetch": TableSpec(pages=("page", "redirect_target", "canonical")),
    "page": TableSpec(joining=Joining.MADE),
    "page_count": TableSpec(joining=Joining.MADE),
    "robots": TableSpec(host="host"),
    "host": TableSpec(joining=Joining.MADE),
    "run": TableSpec(joining=Joining.MADE),
    "link_kind": TableSpec(joining=Joining.MADE, is_fixed=True),
    "migration": TableSpec(joining=Joining.MADE, is_fixed=True),
}
"""Name -> table; those that refer to others come before them. learnt, rank and estimate are of the links that one part
knows."""


def joined(how: Joining) -> list[str]:
    """The names of the tables that are joined in one way."""
    return [name for name, table in TABLES.items() if table.joining is how]
