"""The tables of a store, and how each is treated when pages are reopened or shards are joined.

A new table needs an entry here and a migration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final


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
    deleted when it is to be read in another way. `is_fixed` marks tables that are the same in every store.
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
    "link_check": TableSpec(joining=Joining.ALIKE),
    "page_requisite": TableSpec(joining=Joining.LEFT_OUT, pages=("page",), is_read=True),
    "requisite_part": TableSpec(joining=Joining.LEFT_OUT),
    "requisite_cut": TableSpec(joining=Joining.LEFT_OUT, pages=("page",), is_read=True),
    "requisite_body": TableSpec(joining=Joining.LEFT_OUT),
    "requisite": TableSpec(joining=Joining.LEFT_OUT, pages=("page",)),
    "rank": TableSpec(joining=Joining.LEFT_OUT),
    "estimate": TableSpec(joining=Joining.LEFT_OUT),
    "handed_over": TableSpec(joining=Joining.LEFT_OUT),
    "unsorted": TableSpec(joining=Joining.MADE, pages=("page",)),
    "unlinked": TableSpec(joining=Joining.LEFT_OUT, pages=("source", "target")),
    "sorted_block": TableSpec(joining=Joining.LEFT_OUT),
    "sorted_run": TableSpec(joining=Joining.LEFT_OUT),
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
"""The tables by name; a table follows the tables that it refers to. learnt, rank and estimate are about the links that
a single shard knows; shards fetch no requisites.
"""


def joined(how: Joining) -> list[str]:
    """Return the names of the tables that are joined in the given way."""
    return [name for name, table in TABLES.items() if table.joining is how]
