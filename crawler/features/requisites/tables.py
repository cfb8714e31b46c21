"""The tables of requisites, and the records that fill them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from hinterland.storage.values.feature_records import FeatureRecord, Statement
from hinterland.storage.values.grouped_rows import grouped, values
from hinterland.storage.values.table_spec import Joining, TableSpec

_KNOWN: Final = "(SELECT number FROM requisite)"
_OPENED: Final = "(SELECT url FROM whole.opened)"
_NEEDED: Final = f"""
WITH RECURSIVE needed (number) AS (
    SELECT page_requisite.requisite FROM whole.page_requisite JOIN page_of ON old = page_requisite.page AND is_shown
    JOIN whole.requisite AS it ON it.number = page_requisite.requisite WHERE it.url NOT IN {_OPENED}
    UNION
    SELECT part FROM needed JOIN whole.requisite_part ON requisite_part.requisite = needed.number
    JOIN whole.requisite AS it ON it.number = part WHERE it.url NOT IN {_OPENED})
SELECT number FROM needed
"""
"""Selects the requisites of the pages of a public copy, without those that a login opened and their parts."""
_USERS: Final = """
LEFT JOIN (SELECT page_requisite.requisite, min(new) AS first FROM whole.page_requisite
    JOIN page_of ON old = page_requisite.page AND is_shown GROUP BY 1) AS users ON users.requisite = each.number
"""
_FIRST_PAGE: Final = "coalesce((SELECT new FROM page_of WHERE old = each.page AND is_shown), users.first, 0)"
TABLES: Final = {
    "page_requisite": TableSpec(
        joining=Joining.LEFT_OUT,
        pages=("page",),
        is_read=True,
        public=f"each.page IN (SELECT old FROM page_of WHERE is_shown) AND each.requisite IN {_KNOWN}",
    ),
    "requisite_part": TableSpec(
        joining=Joining.LEFT_OUT, public=f"each.requisite IN {_KNOWN} AND each.part IN {_KNOWN}"
    ),
    "requisite_cut": TableSpec(joining=Joining.LEFT_OUT, pages=("page",), is_read=True),
    "requisite_body": TableSpec(joining=Joining.LEFT_OUT, public="each.digest IN (SELECT digest FROM requisite)"),
    "requisite": TableSpec(
        joining=Joining.LEFT_OUT,
        pages=("page",),
        public=f"each.number IN ({_NEEDED})",
        public_values={"page": _FIRST_PAGE},
        public_join=_USERS,
    ),
}
"""Joined stores leave these tables out, because shards fetch no requisites."""

_FORGET_USES: Final = "DELETE FROM page_requisite WHERE page = ?"
_PART: Final = "INSERT OR IGNORE INTO requisite_part (requisite, part) VALUES (?, ?)"
_CUT: Final = (
    "INSERT INTO requisite_cut (page, left_out) VALUES (?, ?)"
    " ON CONFLICT (page) DO UPDATE SET left_out = left_out + excluded.left_out"
)
_BODY: Final = "INSERT OR IGNORE INTO requisite_body (digest, body) VALUES (?, ?)"


@cache
def _insert(rows: int) -> str:
    return f"INSERT INTO requisite (number, url, kind, page, depth) VALUES {values(5, rows)}"


@cache
def _use(rows: int) -> str:
    return f"INSERT OR IGNORE INTO page_requisite (page, requisite) VALUES {values(2, rows)}"


@cache
def _end(rows: int) -> str:
    return (
        "UPDATE requisite SET outcome = column1, detail = nullif(column2, ''), status = column3,"
        " content_type = column4, bytes = column5, digest = column6, fetched_at = column7"
        f" FROM (VALUES {values(8, rows)}) WHERE number = column8"
    )


class StoredRequisite(NamedTuple):
    """A waiting requisite, as a row of its table. `depth` counts the files and redirects between page and requisite."""

    number: int
    url: str
    kind: str
    page: int
    depth: int


class _RequisiteRecord(FeatureRecord):
    """A record about requisites.

    In a batch, RequisitesFound are written before RequisiteEnded, because both may be about one requisite.
    """

    __slots__ = ()

    @staticmethod
    def statements(records: Sequence[FeatureRecord]) -> Sequence[Statement]:
        """Return the SQL statements that write records of both kinds."""
        found = [each for each in records if isinstance(each, RequisitesFound)]
        ended = [each for each in records if isinstance(each, RequisiteEnded)]
        of_pages = [each for each in found if each.inside is None]
        return [
            *grouped(_insert, [new for each in found for new in each.new]),
            (_FORGET_USES, [(each.page,) for each in of_pages]),
            *grouped(_use, [(each.page, number) for each in of_pages for number in each.needed]),
            (_PART, [(each.inside, number) for each in found if each.inside is not None for number in each.needed]),
            (_CUT, [(each.page, each.left_out) for each in found if each.left_out]),
            (_BODY, [(each.digest, each.body) for each in ended if each.body is not None]),
            *grouped(_end, [each.row for each in ended]),
        ]


@dataclass(frozen=True, slots=True)
class RequisitesFound(_RequisiteRecord):
    """The requisites that a page refers to or, if `inside` is set, that the requisite `inside` refers to.

    `needed` has the numbers of all of them, and `new` has the requisites that were not known before. `left_out` counts
    references beyond the limit of the page.
    """

    page: int
    needed: Sequence[int]
    new: Sequence[StoredRequisite] = ()
    inside: int | None = None
    left_out: int = 0

    @property
    def weight(self) -> int:
        """Roughly how many bytes the record takes in memory."""
        return 250 * len(self.new) + 8 * len(self.needed)


@dataclass(frozen=True, slots=True)
class RequisiteEnded(_RequisiteRecord):
    """The final outcome of a requisite.

    `digest` is the hash of its decoded body. `body` is that body as a zstd frame, None if it is not kept.
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

    @property
    def row(self) -> tuple[object, ...]:
        """The parameters of the statement that writes the outcome."""
        return (
            self.outcome, self.detail, self.status, self.content_type, self.size, self.digest, self.at, self.number
        )  # fmt: skip

    @property
    def weight(self) -> int:
        """Roughly how many bytes the record takes in memory."""
        return 0 if self.body is None else len(self.body)
