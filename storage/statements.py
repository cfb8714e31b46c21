"""Turns a batch of records into SQL statements, each with all its rows of parameters. Pure."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import cache, partial
from itertools import repeat
from operator import attrgetter
from typing import Any

import numpy as np

from hinterland.storage.batch_connection import Statement
from hinterland.storage.history_statements import history_statements, site_statements
from hinterland.storage.record_batch import RecordBatch
from hinterland.storage.schema import COMPARE_RANKS
from hinterland.storage.values.compression import packed_bytes
from hinterland.storage.values.extraction import ExtractedRecord
from hinterland.storage.values.grouped_rows import grouped, values
from hinterland.storage.values.history import RevisitRecord
from hinterland.storage.values.hosts import HostStateRecord, SlowedShape
from hinterland.storage.values.records import (
    DiscoveriesRecord,
    EstimateRecord,
    RankRecord,
    Record,
    RobotsRecord,
    SettledRecord,
    SlowedShapes,
    VisitRecord,
)
from hinterland.storage.values.shards import AcknowledgedRecord, UnacknowledgedRecord
from hinterland.storage.values.topics import DrawRecord, JudgementRecord, LearntRecord, RelevanceRecord, TopicRecord


def _insert(table: str, columns: Sequence[str], rows: int = 1) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {values(len(columns), rows)}"


def _replace(table: str, columns: Sequence[str]) -> str:
    return _insert(table, columns).replace("INSERT", "REPLACE", 1)


_INSERT_HOST = _insert("host", ("id", "url", "site"))
_INSERT_PAGE = _insert("page", ("id", "url", "host", "state", "is_local", "depth", "referrer", "redirects"))
"""Its columns are in the order of the fields of PageRecord."""
_UPDATE_STATE = "UPDATE page SET state = ? WHERE id = ?"
_END_RETRIES = "UPDATE fetch SET retry_at = NULL WHERE page = ?"
_UPDATE_ADMITTED = "UPDATE page SET state = 'waiting', is_local = ?, depth = ? WHERE id = ?"
_UPDATE_LOCAL = "UPDATE page SET is_local = 1 WHERE id = ?"
_UPDATE_DEPTH = "UPDATE page SET depth = ? WHERE id = ?"
_FETCH_COLUMNS = (
    *("page", "visit", "outcome", "detail", "attempt", "retry_at", "started_at", "seconds", "status", "content_type"),
    *("charset", "wire_bytes", "body_bytes", "body_hash", "etag", "last_modified", "redirect_target", "canonical"),
    *("title", "description", "language", "is_noindex", "is_nofollow", "bad_links", "rendering"),
)
"""Columns named like the fields of VisitRecord."""
_REPLACE_FETCH = _replace("fetch", (*_FETCH_COLUMNS, "cut"))
_fetched = attrgetter(*_FETCH_COLUMNS)
_REPLACE_CONTENT = _replace("content", ("page", "text", "headings", "body", "main"))
_REPLACE_RELEVANCE = _replace("relevance", ("page", "probability", "links"))
_JUDGE = (
    "INSERT INTO relevance (page, probability) VALUES (?, ?)"
    " ON CONFLICT (page) DO UPDATE SET probability = excluded.probability"
)
_REPLACE_LEARNT = _replace("learnt", ("id", "visit", "pages"))
_DRAW_COLUMNS = tuple(field.name for field in fields(DrawRecord))
_REPLACE_DRAWN = _replace("drawn", _DRAW_COLUMNS)
_drawn = attrgetter(*_DRAW_COLUMNS)
_REPLACE_TOPIC = _replace("topic", ("id", "name", "model", "targets"))
_DELETE_EXTRACTED = "DELETE FROM record WHERE name = ? AND page = ?"
_REPLACE_EXTRACTED = (
    "REPLACE INTO extracted (name, page, version, records, missing, problem)"
    " SELECT name, ?2, version, ?3, ?4, ?5 FROM extraction WHERE name = ?1"
)
_INSERT_EXTRACTED = _insert("record", ("name", "page", "number", "fields"))
_HAND_OVER = (
    "INSERT INTO handed_over (page, shard, depth, redirects) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE"
    " SET depth = excluded.depth, redirects = excluded.redirects, is_acknowledged = 0"
)
_ACKNOWLEDGE = "UPDATE handed_over SET is_acknowledged = 1 WHERE shard = ? AND page = ? AND depth = ?"
_UNACKNOWLEDGE = "UPDATE handed_over SET is_acknowledged = 0 WHERE shard = ?"
_UNLINK = "INSERT OR IGNORE INTO unlinked SELECT source, target FROM link WHERE source = ?"
_DELETE_LINKS = "DELETE FROM link WHERE source = ?"
_LINK_AGAIN = (
    "DELETE FROM unlinked WHERE source = ?"
    " AND EXISTS (SELECT 1 FROM link WHERE link.source = unlinked.source AND link.target = unlinked.target)"
)
_INSERT_UNSORTED = _insert("unsorted", ("page",))
_LINK_COLUMNS = ("source", "target", "kind", "nofollow", "anchor")
_INSERT_LINKS = cache(partial(_insert, "link", _LINK_COLUMNS))
_LINKS_AT_ONCE = 32
"""Inserting many rows by one statement takes a quarter less time per link."""
_ROBOTS_COLUMNS = ("host", "status", "fetched_at", "expires_at", "text", "crawl_delay", "sitemaps_left_out")
"""Columns named like the fields of RobotsRecord."""
_REPLACE_ROBOTS = _replace("robots", (*_ROBOTS_COLUMNS, "sitemaps"))
_robots = attrgetter(*_ROBOTS_COLUMNS)
_ESTIMATE_COLUMNS = tuple(field.name for field in fields(EstimateRecord))
_INSERT_ESTIMATE = (
    f"INSERT INTO estimate (run, {', '.join(_ESTIMATE_COLUMNS)})"
    f" VALUES ((SELECT max(id) FROM run), {', '.join('?' * len(_ESTIMATE_COLUMNS))})"
)
_estimated = attrgetter(*_ESTIMATE_COLUMNS)
_DELETE_RANKS = "DELETE FROM rank WHERE estimator = ?"
_INSERT_RANK = _insert("rank", ("estimator", "page", "pagerank", "place", "spread", "highest_place", "lowest_place"))
_DELETE_SLOWED = "DELETE FROM slowed"
_SLOWED_COLUMNS = tuple(field.name for field in fields(SlowedShape))
_INSERT_SLOWED = _insert("slowed", _SLOWED_COLUMNS)
_slowed = attrgetter(*_SLOWED_COLUMNS)
_host_state_row = attrgetter(
    *("address", "last_error", "next_fetch", "rest_seconds", "failures", "pages_fetched", "is_given_up", "number")
)


@cache
def _update_hosts(rows: int) -> str:
    return (
        "UPDATE host SET address = coalesce(column1, address), last_error = coalesce(column2, last_error),"
        " next_fetch = column3, rest_seconds = column4, failures = column5, pages_fetched = column6,"
        f" is_given_up = column7 FROM (VALUES {values(8, rows)}) WHERE id = column8"
    )


def statements_of(records: Sequence[Record]) -> Iterator[Statement]:
    """Yield the statements that write a batch, in an order that keeps every reference valid."""
    batch = RecordBatch(records)
    visits, extracted = batch.of(VisitRecord), batch.of(ExtractedRecord)
    found: Sequence[VisitRecord | DiscoveriesRecord] = visits
    if batch.of(DiscoveriesRecord):
        found = [record for record in records if isinstance(record, VisitRecord | DiscoveriesRecord)]
    linked = [visit for visit in visits if visit.links is not None]
    host_states = _last_of_each([state for state in map(_host_state, records) if state is not None])
    yield from history_statements(batch)
    yield from site_statements(batch)
    yield from (
        (sql, rows)
        for sql, rows in (
            (_INSERT_HOST, [(host.number, host.url, host.site) for each in found for host in each.new_hosts]),
            (_INSERT_PAGE, [page for each in found for page in each.new_pages]),
            (_UPDATE_ADMITTED, [(local, depth, page) for each in found for page, depth, local in each.admitted]),
            (_UPDATE_LOCAL, [(page,) for each in found for page in each.localised]),
            (_UPDATE_DEPTH, [(depth, page) for each in found for page, depth in each.nearer]),
            (_HAND_OVER, [page for each in found for page in each.handed_over]),
            (_UNACKNOWLEDGE, [(each.shard,) for each in batch.of(UnacknowledgedRecord)]),
            (_ACKNOWLEDGE, [(each.shard, *page) for each in batch.of(AcknowledgedRecord) for page in each.pages]),
            (_UPDATE_STATE, [(visit.state, visit.page) for visit in visits if visit.retry_at is None]),
            (_REPLACE_FETCH, [(*_fetched(visit), _cut(visit)) for visit in visits]),
            (_UPDATE_STATE, [(each.state, each.page) for each in batch.of(SettledRecord)]),
            (_END_RETRIES, [(each.page,) for each in batch.of(SettledRecord)]),
            (_UNLINK, [(visit.page,) for visit in linked if visit.attempt > 1]),
            (_DELETE_LINKS, [(visit.page,) for visit in linked if visit.attempt > 1]),
            *grouped(_INSERT_LINKS, [row for visit in linked for row in _link_rows(visit)], _LINKS_AT_ONCE),
            (_LINK_AGAIN, [(visit.page,) for visit in linked]),
            (_INSERT_UNSORTED, [(visit.page,) for visit in visits if _is_to_sort(visit)]),
            (_REPLACE_CONTENT, [row for visit in visits for row in _content_rows(visit)]),
            (_REPLACE_RELEVANCE, [_relevance(each) for each in batch.of(RelevanceRecord)]),
            (_JUDGE, [(each.page, each.probability) for each in batch.of(JudgementRecord)]),
            (_REPLACE_LEARNT, [(1, each.visit, each.pages) for each in batch.of(LearntRecord)]),
            (_REPLACE_DRAWN, [_drawn(each) for each in batch.of(DrawRecord)]),
            (_REPLACE_TOPIC, [_topic(each) for each in batch.of(TopicRecord)]),
            (_DELETE_EXTRACTED, [(each.table, each.page) for each in extracted]),
            (_REPLACE_EXTRACTED, [_extracted(each) for each in extracted]),
            (_INSERT_EXTRACTED, [row for each in extracted for row in _extracted_rows(each)]),
            (_REPLACE_ROBOTS, [_robots_row(each) for each in batch.of(RobotsRecord)]),
            *grouped(_update_hosts, [_host_state_row(state) for state in host_states]),
            (_INSERT_ESTIMATE, [_estimated(each) for each in batch.of(EstimateRecord)]),
            (_DELETE_RANKS, [(each.estimator,) for each in batch.of(RankRecord)]),
            (_DELETE_SLOWED, [() for each in batch.of(SlowedShapes)]),
            (_INSERT_SLOWED, _slowed_rows(batch.of(SlowedShapes))),
        )
        if rows
    )
    yield from (statement for statement in batch.statements_of_features() if statement[1])
    ranked = batch.of(RankRecord)
    yield from ((_INSERT_RANK, _rank_rows(each)) for each in ranked)
    if ranked:
        yield COMPARE_RANKS, [()]


def _slowed_rows(records: Sequence[SlowedShapes]) -> list[tuple[Any, ...]]:
    """Return the rows of the last record only, since each record replaces the one before it."""
    return [_slowed(shape) for shape in records[-1].shapes] if records else []


def _host_state(record: Record) -> HostStateRecord | None:
    if isinstance(record, VisitRecord | RevisitRecord):
        return record.host_state
    return record if isinstance(record, HostStateRecord) else None


def _last_of_each(states: Sequence[HostStateRecord]) -> list[HostStateRecord]:
    """Return the last state of each host in the batch.

    If the last state has no address or no last error, these come from an earlier state of the host.
    """
    found: dict[int, HostStateRecord] = {}
    for state in states:
        before = found.get(state.number)
        if before is not None and (before.last_error is not None or before.address is not None):
            error, address = state.last_error or before.last_error, state.address or before.address
            if (error, address) != (state.last_error, state.address):
                state = replace(state, last_error=error, address=address)
        found[state.number] = state
    return list(found.values())


def _relevance(record: RelevanceRecord) -> tuple[int, float, bytes | None]:
    return record.page, record.probability, None if record.links is None else packed_bytes(record.links)


def _topic(record: TopicRecord) -> tuple[int, str, bytes | None, str]:
    return 1, record.name, record.model, json.dumps(list(record.targets))


def _is_to_sort(visit: VisitRecord) -> bool:
    return visit.links is not None or visit.body_hash is not None


def _cut(visit: VisitRecord) -> str | None:
    return json.dumps(dict(visit.cut)) if visit.cut else None


def _link_rows(visit: VisitRecord) -> Iterator[tuple[Any, ...]]:
    links = visit.links
    assert links is not None
    return zip(repeat(visit.page), links.targets, links.kinds, links.nofollow, links.anchors)


def _extracted(record: ExtractedRecord) -> tuple[Any, ...]:
    missing = json.dumps(list(record.missing)) if record.missing else None
    return record.table, record.page, len(record.records), missing, record.problem or None


def _extracted_rows(record: ExtractedRecord) -> Iterator[tuple[Any, ...]]:
    for number, fields_of_one in enumerate(record.records, 1):
        yield record.table, record.page, number, fields_of_one


def _content_rows(visit: VisitRecord) -> list[tuple[Any, ...]]:
    content = visit.content
    return [] if content is None else [(visit.page, content.text, content.headings, content.body, content.main)]


def _robots_row(record: RobotsRecord) -> tuple[Any, ...]:
    return (*_robots(record), json.dumps(list(record.sitemaps)))


def _rank_rows(record: RankRecord) -> Iterator[tuple[Any, ...]]:
    values = np.asarray(record.pageranks, np.float64)
    places = 1 + len(values) - np.searchsorted(np.sort(values), values, side="right")
    intervals = record.intervals
    unknown = repeat(None), repeat(None), repeat(None)
    known = unknown if intervals is None else (intervals.spreads, intervals.highest_places, intervals.lowest_places)
    return zip(repeat(record.estimator), record.pages, record.pageranks, array("q", places.tobytes()), *known)
