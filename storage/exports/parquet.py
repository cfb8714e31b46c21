"""Apache Parquet, by pyarrow: typed columns, times as UTC timestamps, zstd."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO

from storage.exports.format import FileFormat, MissingPackage, Written
from storage.exports.jsonl import LINK_FIELDS, PAGE_FIELDS
from storage.exports.source import ExportSource, LinkRow, PageRow, headings_of

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
"""All others are strings, but for fetched_at and headings."""


def _needs() -> None:
    try:
        import pyarrow.parquet as written_by
    except ImportError as error:
        raise MissingPackage(
            "Parquet is written by pyarrow, which is not installed; install it with"
            " `.venv/bin/python -m pip install -r requirements-parquet.txt`, or take --format jsonl, which has the"
            " same fields"
        ) from error
    assert written_by


def _write(source: ExportSource, what: str, file: BinaryIO) -> Written:
    with_text = source.selection.with_text
    if what == "pages":
        names: Sequence[str] = (*PAGE_FIELDS, *(("headings", "text") if with_text else ()))
        count = _write_batches(names, (map(_page_values, batch) for batch in source.pages()), file)
    else:
        names = LINK_FIELDS
        count = _write_batches(names, (map(LinkRow._asdict, batch) for batch in source.links()), file)
    return Written(count, what, {})


def _write_batches(names: Sequence[str], batches: Iterable[Iterable[dict[str, Any]]], file: BinaryIO) -> int:
    """Each batch becomes a row group."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    schema = pa.schema([(name, _type(name)) for name in names])
    count = 0
    with ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in batches:
            rows = list(batch)
            columns = [pa.array([row[name] for row in rows], _type(name)) for name in names]
            writer.write_batch(pa.record_batch(columns, schema=schema))
            count += len(rows)
    return count


def _type(name: str) -> Any:
    import pyarrow as pa

    match name:
        case "fetched_at":
            return pa.timestamp("us", tz="UTC")
        case "headings":
            return pa.list_(pa.string())
        case _:
            return getattr(pa, _TYPES.get(name, "string"))()


def _page_values(page: PageRow) -> dict[str, Any]:
    values = page._asdict()
    if page.fetched_at is not None:
        values["fetched_at"] = datetime.fromtimestamp(page.fetched_at, UTC)
    values["headings"] = headings_of(page)
    return values


FORMAT = FileFormat(".parquet", ("pages", "links"), _write, is_text=False, needs=_needs)
