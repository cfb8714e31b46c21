"""SQL statements that write revisits of stored pages and the changes they found. Pure.

Within a batch, these statements run before the statements that record visits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, fields
from operator import attrgetter
from typing import Any

from hinterland.storage.batch_connection import Statement
from hinterland.storage.record_batch import RecordBatch
from hinterland.storage.values.history import ChangeRecord, PageEvidence, RevisitRecord, StoredSignals
from hinterland.storage.values.sitemaps import SitemapsRecord, StoredSitemap
from hinterland.storage.values.soft_404 import ProbedDirectory

_LOOK = (
    "INSERT INTO look (page, looked_at, looks, changes, missed, missing_since)"
    " VALUES (?1, ?2, 1, 0, ?3, iif(?3, ?2, NULL))"
    " ON CONFLICT (page) DO UPDATE SET looked_at = ?2, looks = looks + 1, missed = iif(?3, missed + 1, 0),"
    " missing_since = iif(?3, min(coalesce(missing_since, ?2), ?2), NULL)"
)
_LOOK_AND_CHANGE = (
    "INSERT INTO look (page, looked_at, looks, changes, changed_at, missed) VALUES (?1, ?2, 1, 1, ?2, 0)"
    " ON CONFLICT (page) DO UPDATE SET looked_at = ?2, looks = looks + 1, changes = changes + 1, changed_at = ?2,"
    " missed = 0, missing_since = NULL"
)
_RENEW = (
    "UPDATE fetch SET etag = coalesce(?, etag), last_modified = coalesce(?, last_modified),"
    " body_hash = coalesce(?, body_hash) WHERE page = ?"
)
_ADD_BODY = (
    "INSERT INTO content (page, headings, body) VALUES (?1, '[]', ?2) ON CONFLICT (page) DO UPDATE SET body = ?2"
)
_SCHEDULE = "UPDATE look SET due = ?, rate = ?, seen = ? WHERE page = ?"
_REPLACE_SIGNALS = "REPLACE INTO signal (host, kind, looks, precision, recall, seen) VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_CHANGE = (
    "INSERT INTO change (page, at, kind, share, before)"
    " VALUES (?1, ?2, ?3, ?4, coalesce(?5, iif(?6, (SELECT text FROM content WHERE page = ?1), NULL)))"
)
"""?6 says that the text of the page is about to be deleted, so it is kept whole, as the difference from an empty text.
"""
_FORGET_BEFORE = (
    "UPDATE change SET before = NULL WHERE page = ?1 AND before IS NOT NULL AND id NOT IN"
    " (SELECT id FROM change WHERE page = ?1 AND before IS NOT NULL ORDER BY id DESC LIMIT ?2)"
)
_READ_OF_A_PAGE = (("link", "source"), *((table, "page") for table in ("content", "record", "extracted", "relevance")))
_FORGET_PAGE = [f"DELETE FROM {table} WHERE {page} = ?" for table, page in _READ_OF_A_PAGE]


_SITEMAP_COLUMNS = tuple(field.name for field in fields(StoredSitemap))
_REPLACE_SITEMAP = (
    "REPLACE INTO sitemap (" + ", ".join(f'"{name}"' for name in _SITEMAP_COLUMNS) + ")"
    f" VALUES ({', '.join('?' * len(_SITEMAP_COLUMNS))})"
)
_sitemap = attrgetter(*_SITEMAP_COLUMNS)


_REPLACE_PROBED = "REPLACE INTO probed (directory, url, asked_at, status, title, text) VALUES (?, ?, ?, ?, ?, ?)"


def site_statements(batch: RecordBatch) -> list[Statement]:
    """Return the statements for the probed directories and sitemaps in a batch."""
    known = batch.of(SitemapsRecord)
    probed = [astuple(record) for record in batch.of(ProbedDirectory)]
    if not known:
        return [(_REPLACE_PROBED, probed)] if probed else []
    return [
        (_REPLACE_PROBED, probed),
        ("DELETE FROM sitemap WHERE url = ?", [(url,) for each in known for url in each.gone]),
        (_REPLACE_SITEMAP, [_sitemap(row) for each in known for row in each.changed]),
    ]


def history_statements(batch: RecordBatch) -> list[Statement]:
    """Return the statements for the revisits and changes in a batch."""
    looks, changes = batch.of(RevisitRecord), batch.of(ChangeRecord)
    if not looks and not changes:
        return []
    looked_again = [each for each in changes if each.kind != "new"]
    forgotten = [(each.page,) for each in changes if each.forgets]
    return [
        (_LOOK, [(each.page, each.at, each.is_missed) for each in looks]),
        (_RENEW, [(each.etag, each.last_modified, each.body_hash, each.page) for each in looks if each.renews]),
        (_ADD_BODY, [(each.page, each.body) for each in looks if each.body is not None]),
        (_LOOK_AND_CHANGE, [(each.page, each.at) for each in looked_again]),
        (_SCHEDULE, [_scheduled(each.page, each.evidence) for each in looks if each.evidence]),
        (_SCHEDULE, [_scheduled(each.page, each.evidence) for each in changes if each.evidence]),
        (_REPLACE_SIGNALS, [_signals(each) for each in _last_signals([*looks, *changes])]),
        (_INSERT_CHANGE, [_change(each) for each in changes]),
        (_FORGET_BEFORE, [(each.page, each.keeps) for each in looked_again]),
        *((sql, forgotten) for sql in _FORGET_PAGE),
    ]


def _scheduled(page: int, evidence: PageEvidence) -> tuple[float, float, bytes, int]:
    return evidence.due, evidence.rate, evidence.seen, page


def _last_signals(records: Sequence[RevisitRecord | ChangeRecord]) -> Sequence[StoredSignals]:
    """Return, for each host and kind, the signals of the latest revisit."""
    evidence = sorted((each.at, number, each.evidence) for number, each in enumerate(records) if each.evidence)
    last = {(found.host, found.kind): found for *_, each in evidence for found in each.signals}
    return list(last.values())


def _signals(found: StoredSignals) -> tuple[int, str, float, float, float, bytes]:
    return found.host, found.kind, found.looks, found.precision, found.recall, found.seen


def _change(record: ChangeRecord) -> tuple[Any, ...]:
    is_last_text = record.forgets and record.keeps > 0
    return record.page, record.at, record.kind, record.share, record.before, is_last_text
