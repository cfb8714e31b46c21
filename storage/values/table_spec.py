"""How the rows of a table are treated when pages are reopened, shards are joined, or a public copy is made. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

EVERYTHING: Final = "TRUE"
"""The condition of tables that say nothing about the contents of pages and files."""
NOTHING: Final = "FALSE"
"""The condition of tables from which nothing is copied; a public copy leaves them empty or fills them itself."""


class Joining(Enum):
    """What happens to the rows of a table when the shards of a crawl are joined into one store."""

    NUMBERED = "the rows of all shards are added, with page and host numbers translated"
    ALIKE = "they hold no such numbers, and rows with the same key are the same in all shards"
    LEFT_OUT = "they say nothing about the whole crawl"
    MADE = "joining creates them"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpec:
    """How the rows of a table are treated.

    `pages` names the columns that hold page numbers. `host` names the column with a host number, unless a page implies
    the host. `is_read` marks tables whose rows come from the content of the page in the first column of `pages`. These
    rows are deleted when the page is to be read in another way. `is_fixed` marks tables that are the same in every
    store.

    `public` is an SQL condition for the rows that a public copy has. It calls the row `each`; storage/public_copy.py
    says what else it may use. Without a condition, a public copy has the rows of shown pages or, if `pages` is empty,
    of known hosts. A table without page and host numbers must have a condition. `public_values` replaces the values of
    columns in the copy by SQL expressions, which may also use the tables in `public_join`.
    """

    joining: Joining = Joining.NUMBERED
    pages: tuple[str, ...] = ()
    host: str = ""
    is_read: bool = False
    is_fixed: bool = False
    public: str = ""
    public_values: Mapping[str, str] = field(default_factory=dict)
    public_join: str = ""
