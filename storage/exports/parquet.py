"""Apache Parquet files, written by pyarrow: the Arrow tables, compressed with zstd."""

from __future__ import annotations

from functools import partial
from typing import BinaryIO

from hinterland.storage.exports.arrow import arrow_batches, require_pyarrow
from hinterland.storage.exports.format import FileFormat, Written
from hinterland.storage.exports.source import ExportSource


def _write(source: ExportSource, what: str, file: BinaryIO) -> Written:
    """Write each batch as a row group."""
    from pyarrow.parquet import ParquetWriter

    schema, batches = arrow_batches(source, what)
    count = 0
    with ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)
            count += batch.num_rows
    return Written(count, what, {})


FORMAT = FileFormat(
    ".parquet",
    ("pages", "links", "records"),
    _write,
    is_text=False,
    needs=partial(require_pyarrow, "--format parquet", "take --format jsonl, which has the same fields"),
)
