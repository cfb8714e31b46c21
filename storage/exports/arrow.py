"""Pages, links and records as Arrow tables, by pyarrow: typed columns, times as UTC timestamps."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from hinterland.distribution.extras import need
from hinterland.storage.exports.jsonl import LINK_FIELDS, PAGE_FIELDS
from hinterland.storage.exports.source import ExportSource, LinkRow, PageRow, headings_of, json_line
from hinterland.storage.values.extraction import Column

_TYPES = {
    "page": "int32",
    "is_local": "bool_",
    "depth": "int32",
    "status": "int16",
    "body_bytes": "int64",
    "is_noindex": "bool_",
    "is_nofollow": "bool_",
    "as_site_sees": "float64",
    "as_web_sees": "float64",
    "nofollow": "bool_",
    "leaves_host": "bool_",
    "target_is_local": "bool_",
}
"""All other columns are strings, except fetched_at and headings."""


_COLUMN_TYPES = {
    "text": "string",
    "html": "string",
    "url": "string",
    "datetime": "string",
    "date": "date",
    "integer": "int64",
    "number": "float64",
    "boolean": "bool_",
}
"""The types of record columns. Times of day stay text, since some name their time zone and others do not."""


def require_pyarrow(by: str, otherwise: str) -> None:
    """Raise MissingPackage if pyarrow is not installed.

    `by` names what needs pyarrow, and `otherwise` says what to do without it; the message contains both.
    """
    need("parquet", by=by, otherwise=otherwise)


def arrow_batches(source: ExportSource, what: str) -> tuple[Any, Iterator[Any]]:
    """Return a pyarrow Schema, and RecordBatches of "pages", "links" or "records", one per batch of the source."""
    match what:
        case "pages":
            names = (*PAGE_FIELDS, *(("headings", "text") if source.selection.with_text else ()))
            return _batches(names, (map(page_values, batch) for batch in source.pages()), _type)
        case "links":
            return _batches(LINK_FIELDS, (map(LinkRow._asdict, batch) for batch in source.links()), _type)
        case _:
            return _record_batches(source)


def _record_batches(source: ExportSource) -> tuple[Any, Iterator[Any]]:
    columns = source.selection.columns
    types = {"url": "string", "record": "int32"} | {each.name: _COLUMN_TYPES[each.type] for each in columns}
    lists = {each.name for each in columns if each.is_list}
    batches = (map(partial(_typed, columns=columns), batch) for batch in source.records())
    return _batches(tuple(types), batches, partial(_type_of_column, types=types, lists=lists))


def _batches(
    names: Sequence[str], batches: Iterable[Iterable[dict[str, Any]]], type_of: Callable[[str], Any]
) -> tuple[Any, Iterator[Any]]:
    import pyarrow as pa

    schema = pa.schema([(name, type_of(name)) for name in names])

    def made() -> Iterator[Any]:
        for batch in batches:
            rows = list(batch)
            columns = [pa.array([row[name] for row in rows], type_of(name)) for name in names]
            yield pa.record_batch(columns, schema=schema)

    return schema, made()


def _type_of_column(name: str, types: Mapping[str, str], lists: Container[str]) -> Any:
    import pyarrow as pa

    match types[name]:
        case "date":
            found = pa.date32()
        case kind:
            found = getattr(pa, kind)()
    return pa.list_(found) if name in lists else found


def _typed(record: dict[str, Any], columns: Sequence[Column]) -> dict[str, Any]:
    """Return a record with dates as date objects, and lists in columns of single values as JSON.

    Other values stay as they are.
    """
    for column in columns:
        value = record[column.name]
        if isinstance(value, list | dict) and not column.is_list:
            record[column.name] = json_line(value).decode().rstrip("\n")
        elif column.type == "date" and value is not None:
            record[column.name] = list(map(date.fromisoformat, value)) if column.is_list else date.fromisoformat(value)
    return record


def _type(name: str) -> Any:
    import pyarrow as pa

    match name:
        case "fetched_at":
            return pa.timestamp("us", tz="UTC")
        case "headings":
            return pa.list_(pa.string())
        case _:
            return getattr(pa, _TYPES.get(name, "string"))()


def page_schema(*, with_text: bool) -> Any:
    """Return the pyarrow Schema of pages."""
    import pyarrow as pa

    return pa.schema([(name, _type(name)) for name in (*PAGE_FIELDS, *(("headings", "text") if with_text else ()))])


def page_values(page: PageRow) -> dict[str, Any]:
    """Return the fields of a page, with times as UTC datetimes."""
    values = page._asdict()
    if page.fetched_at is not None:
        values["fetched_at"] = datetime.fromtimestamp(page.fetched_at, UTC)
    values["headings"] = headings_of(page)
    return values
