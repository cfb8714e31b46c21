"""What rules took out of pages, as records and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hinterland.storage.values.pages import NamedPage


@dataclass(frozen=True, slots=True)
class ExtractedRecord:
    """What came of one page by the rules of one table; replaces what was there. records: JSON objects. missing: fields
    without a value in any of them. problem: why it is not all; "" if it is.
    """

    page: int
    table: str
    records: Sequence[str]
    missing: Sequence[str] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page that was read, and whether its body was kept."""

    number: int
    url: str
    content_type: str | None
    has_body: bool


@dataclass(frozen=True, slots=True)
class Column:
    """A field of a table. type: text, integer, number, boolean, date, datetime, url or html."""

    name: str
    type: str
    is_list: bool


@dataclass(frozen=True, slots=True)
class ExtractionTable:
    """A table that rules fill. rules: as they are encoded; columns: what they say of it."""

    name: str
    columns: Sequence[Column]
    rules: str


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Pages without something. recent: of the newest pages of the table, so many lack it, too; example: a URL."""

    pages: int
    recent: int
    example: str


@dataclass(frozen=True, slots=True)
class TableReport:
    """How a table stands. pages: that its rules are for and that were read; recent: how many of the newest of them
    were looked at for what is missing lately. outdated: pages whose records are of earlier rules. problems: pages by
    what hindered.
    """

    name: str
    pages: int
    records: int
    recent: int
    outdated: int
    empty: Shortfall | None
    missing: Mapping[str, Shortfall] = field(default_factory=dict)
    problems: Mapping[str, Shortfall] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordsOfPage:
    """What the rules of one table took out of a page. records: the first of them, each field -> value; left_out: how
    many more there are, or are too long to show. problem: why it is not all; "" if it is.
    """

    table: str
    records: Sequence[Mapping[str, object]]
    left_out: int
    problem: str


@dataclass(frozen=True, slots=True)
class RecordPortion:
    """Some records of a table, by page and in the order of each. rows: the page, and field -> value; None for a record
    that is too long to show. next_after: the page and number to be given for those that follow, None at the end.
    """

    rows: Sequence[tuple[NamedPage, Mapping[str, object] | None]]
    next_after: tuple[int, int] | None
