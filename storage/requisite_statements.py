"""SQL for the requisites of pages. Pure."""

from __future__ import annotations

from typing import Final

from hinterland.storage.batch_connection import Statement
from hinterland.storage.record_batch import RecordBatch
from hinterland.storage.values.requisites import RequisiteEnded, RequisitesFound

_INSERT: Final = "INSERT INTO requisite (number, url, kind, page, depth) VALUES (?, ?, ?, ?, ?)"
_FORGET_USES: Final = "DELETE FROM page_requisite WHERE page = ?"
_USE: Final = "INSERT OR IGNORE INTO page_requisite (page, requisite) VALUES (?, ?)"
_PART: Final = "INSERT OR IGNORE INTO requisite_part (requisite, part) VALUES (?, ?)"
_CUT: Final = (
    "INSERT INTO requisite_cut (page, left_out) VALUES (?, ?)"
    " ON CONFLICT (page) DO UPDATE SET left_out = left_out + excluded.left_out"
)
_BODY: Final = "INSERT OR IGNORE INTO requisite_body (digest, body) VALUES (?, ?)"
_END: Final = (
    "UPDATE requisite SET outcome = ?, detail = nullif(?, ''), status = ?, content_type = ?, bytes = ?, digest = ?,"
    " fetched_at = ?, opened_by = ? WHERE number = ?"
)


def requisite_statements(batch: RecordBatch) -> list[Statement]:
    """Return the statements for the requisites in a batch; they refer to pages that the batch may add."""
    found, ended = batch.of(RequisitesFound), batch.of(RequisiteEnded)
    of_pages = [each for each in found if each.inside is None]
    statements: list[tuple[str, list[tuple[object, ...]]]] = [
        (_INSERT, [tuple(new) for each in found for new in each.new]),
        (_FORGET_USES, [(each.page,) for each in of_pages]),
        (_USE, [(each.page, number) for each in of_pages for number in each.needed]),
        (_PART, [(each.inside, number) for each in found if each.inside is not None for number in each.needed]),
        (_CUT, [(each.page, each.left_out) for each in found if each.left_out]),
        (_BODY, [(each.digest, each.body) for each in ended if each.body is not None]),
        (_END, [_end(each) for each in ended]),
    ]
    return [(sql, rows) for sql, rows in statements if rows]


def _end(ended: RequisiteEnded) -> tuple[object, ...]:
    return (
        ended.outcome, ended.detail, ended.status, ended.content_type, ended.size, ended.digest, ended.at,
        ended.opened_by, ended.number
    )  # fmt: skip
