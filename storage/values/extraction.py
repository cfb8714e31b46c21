"""What rules extracted from pages, as records and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hinterland.storage.values.pages import NamedPage


@dataclass(frozen=True, slots=True)
class ExtractedRecord:
    """What the rules of one table extracted from one page. It replaces earlier records of the page in this table.

    `records` are JSON objects. `missing` names the fields that have no value in some record. `problem` says why records
    are missing; "" if they are complete.
    """

    page: int
    table: str
    records: Sequence[str]
    missing: Sequence[str] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page that was read, and whether its body is stored."""

    number: int
    url: str
    content_type: str | None
    has_body: bool


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    `type` is text, integer, number, boolean, date, datetime, url or html.
    """

    name: str
    type: str
    is_list: bool


@dataclass(frozen=True, slots=True)
class ExtractionTable:
    """A table that rules fill.

    `rules` is the text that encodes the rules, and `columns` are the columns that they define.
    """

    name: str
    columns: Sequence[Column]
    rules: str


@dataclass(frozen=True, slots=True)
class Shortfall:
    """How many pages of a table lack a value for a field.

    `recent` counts such pages among the newest pages of the table; `example` is the URL of one such page.
    """

    pages: int
    recent: int
    example: str


@dataclass(frozen=True, slots=True)
class TableReport:
    """The state of a table.

    `pages` counts the pages that were read and to which the rules of the table apply. `recent` is how many of the
    newest of these pages were examined for recent shortfalls. `outdated` counts pages whose records come from earlier
    rules. `problems` groups pages by the problem.
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
    """What the rules of one table extracted from a page.

    `records` are the first records, each a mapping from field to value. `left_out` counts the records that are not
    shown because there are too many or they are too long. `problem` says why records are missing; "" if they are
    complete.
    """

    table: str
    records: Sequence[Mapping[str, object]]
    left_out: int
    problem: str


@dataclass(frozen=True, slots=True)
class RecordPortion:
    """Some records of a table, ordered by page and, within a page, as they were extracted.

    Each row is the page and a mapping from field to value, or None for a record that is too long to show. `next_after`
    is the page and number from which to continue; None at the end.
    """

    rows: Sequence[tuple[NamedPage, Mapping[str, object] | None]]
    next_after: tuple[int, int] | None
