"""How a table of a store is treated when pages are reopened, shards are joined, or a public copy is made. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

EVERYTHING: Final = "TRUE"
"""The condition of tables that say nothing of what a page or file contains."""
NOTHING: Final = "FALSE"
"""The condition of tables of which a public copy has no rows, or makes its own."""


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

    `public` is an SQL condition for the rows, called `each`, that a public copy has; what it may use is said in
    storage/public_copy.py. Without one, these are the rows of pages that are shown or, without pages, of hosts that are
    known. A table with neither must have a condition. `public_values` replaces values of columns in the copy by SQL
    expressions, which may also use what `public_join` joins.
    """

    joining: Joining = Joining.NUMBERED
    pages: tuple[str, ...] = ()
    host: str = ""
    is_read: bool = False
    is_fixed: bool = False
    public: str = ""
    public_values: Mapping[str, str] = field(default_factory=dict)
    public_join: str = ""
