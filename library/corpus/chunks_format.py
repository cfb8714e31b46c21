"""The export format `chunks`: the main content of pages in pieces of bounded size, as JSON lines or Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any, BinaryIO, Final

from hinterland.crawler.assembly.stored_features import stored_features
from hinterland.crawler.parsing.markdown.chunks import LEAST_TOKENS, chunks_of
from hinterland.library.corpus.corpus_pages import CorpusPage, Counts, corpus_rows, read_pages
from hinterland.library.corpus.duplicates import Duplicates
from hinterland.library.corpus.markdown_format import CONTENT
from hinterland.storage.exports.arrow import require_pyarrow
from hinterland.storage.exports.format import FileFormat, FormatOption, Written, whole_number
from hinterland.storage.exports.source import ExportSource, json_line, utc

_ROWS_AT_ONCE: Final = 1_000
_TOKENS: Final = FormatOption(
    "the most tokens of a chunk, by an estimate: models differ", 512, whole_number(LEAST_TOKENS, 1_000_000)
)


def _rows(source: ExportSource, counts: Counts) -> Iterator[dict[str, Any]]:
    """Yield the chunks of all pages, in the order of the pages."""
    most = int(source.selection.options["tokens"])
    features, duplicates = stored_features(source.store), Duplicates(source.store)
    for page in read_pages(source, corpus_rows(source, counts), counts):
        chunks = list(chunks_of(page.blocks, most))
        of_page = _of_page(page, duplicates)
        of_page["usage"] = {use.value: is_allowed for use, is_allowed in features.preferences(page.row.page).items()}
        for number, chunk in enumerate(chunks):
            yield {
                "url": page.row.url + (f"#{chunk.anchor}" if chunk.anchor else ""),
                "page": page.row.url,
                "number": number,
                "of": len(chunks),
                "section": list(chunk.section),
                "anchor": chunk.anchor,
                "text": chunk.text,
                "tokens_estimated": chunk.tokens,
                "cuts_code": chunk.cuts_code,
                **of_page,
            }


def _of_page(page: CorpusPage, duplicates: Duplicates) -> dict[str, Any]:
    row = page.row
    return {
        "title": row.title,
        "language": row.language,
        "fetched_at": None if row.fetched_at is None else utc(row.fetched_at),
        "rank": row.as_web_sees,
        "duplicate_of": duplicates.original_of(row),
    }


def _write_lines(source: ExportSource, what: str, file: BinaryIO) -> Written:
    counts, count = Counts(), 0
    for row in _rows(source, counts):
        file.write(json_line(row))
        count += 1
    return Written(count, "chunks", dict(counts.left_out))


def _write_parquet(source: ExportSource, what: str, file: BinaryIO) -> Written:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    schema = pa.schema(
        [
            *((name, pa.string()) for name in ("url", "page")),
            *((name, pa.int32()) for name in ("number", "of")),
            ("section", pa.list_(pa.string())),
            *((name, pa.string()) for name in ("anchor", "text")),
            ("tokens_estimated", pa.int32()),
            ("cuts_code", pa.bool_()),
            *((name, pa.string()) for name in ("title", "language")),
            ("fetched_at", pa.timestamp("us", tz="UTC")),
            ("rank", pa.float64()),
            ("duplicate_of", pa.string()),
            ("usage", pa.map_(pa.string(), pa.bool_())),
        ]
    )
    counts, count = Counts(), 0
    rows = _rows(source, counts)
    with ParquetWriter(file, schema, compression="zstd") as writer:
        while batch := list(islice(rows, _ROWS_AT_ONCE)):
            writer.write_batch(pa.RecordBatch.from_pylist([_typed(row) for row in batch], schema=schema))
            count += len(batch)
    return Written(count, "chunks", dict(counts.left_out))


def _typed(row: dict[str, Any]) -> dict[str, Any]:
    from datetime import datetime

    moment = row["fetched_at"]
    return {
        **row,
        "fetched_at": None if moment is None else datetime.fromisoformat(moment),
        "usage": list(row["usage"].items()),
    }


_OPTIONS: Final = {"tokens": _TOKENS, "content": CONTENT}
_NEEDS: Final = partial(require_pyarrow, "a .parquet file of chunks", "name a .jsonl file, which has the same fields")
CHUNKS: Final = FileFormat(
    ".chunks.jsonl",
    ("pages",),
    _write_lines,
    options=_OPTIONS,
    forms={
        ".parquet": FileFormat(
            ".parquet", ("pages",), _write_parquet, is_text=False, needs=_NEEDS, options=_OPTIONS, has_ranks=True
        )
    },
    has_ranks=True,
)
