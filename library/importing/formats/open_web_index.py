"""Pages of the Open Web Index, in Parquet: the text of each page, and metadata.

The index is made by Resilipipe, whose columns have changed their names over time, so all names of a column are tried.
What sites permit is kept: a page that must not be indexed becomes noindex, and a page that must not be used to train
models becomes noai.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hinterland.distribution.extras import need
from hinterland.library.importing.extracted_texts import ExtractedText, response_with
from hinterland.library.importing.format import Limits
from hinterland.library.importing.items import ArchiveItem, Skipped
from hinterland.library.importing.link_data import LinkDataReader, archive_time

if TYPE_CHECKING:
    import pyarrow as pa

_TEXTS: Final = ("main_content", "plain_text", "text")
_DATES: Final = ("warc_date", "fetch_time", "date")
_LINKS: Final = ("outgoing_links", "outlinks")
_HREFS: Final = ("url", "href", "target")
_ANCHORS: Final = ("text", "anchor", "anchor_text")
_OTHERS: Final = ("url", "title", "language", "description", "ows_index", "ows_genai")
_ROWS: Final = 256
_MOST_CHARACTERS: Final = 10_000_000
_KIND: Final = "row"


def items(path: Path, _reader: LinkDataReader, _limits: Limits) -> Iterator[ArchiveItem]:
    """Yield the pages of a file. Raises MissingExtra."""
    need("parquet", by=f"{path.name}", otherwise="import WARC or WET files")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            names = set(file.schema_arrow.names)
            if "url" not in names or not names.intersection(_TEXTS):
                yield Skipped("file", "its table has no column `url`, or none with text")
                return
            columns = [each for each in (*_OTHERS, *_TEXTS, *_DATES, *_LINKS) if each in names]
            for batch in file.iter_batches(batch_size=_ROWS, columns=columns):
                yield from _items_of(batch)
    except pa.ArrowException as error:
        yield Skipped("file", f"it is not a readable Parquet file: {' '.join(str(error).split())[:120]}")


def _items_of(batch: pa.RecordBatch) -> Iterator[ArchiveItem]:
    """Yield the pages in some rows. Raises pyarrow.ArrowException."""
    try:
        rows = batch.to_pylist()
    except (UnicodeDecodeError, OverflowError):  # text that is no UTF-8, a date that no calendar has
        if batch.num_rows == 1:
            yield Skipped(_KIND, "a value in it cannot be read")
            return
        for row in range(batch.num_rows):
            yield from _items_of(batch.slice(row, 1))
    else:
        yield from map(item_of, rows)


def item_of(row: Mapping[str, Any]) -> ArchiveItem:
    """Return the page in a row."""
    url, at = row.get("url"), _moment(_first(row, _DATES))
    text = _first(row, _TEXTS)
    if not isinstance(url, str) or not url.lower().startswith(("http:", "https:")):
        return Skipped(_KIND, "not a web URL")
    if at is None:
        return Skipped(_KIND, "no usable date")
    if not isinstance(text, str):
        return Skipped(_KIND, "no text")
    if len(text) > _MOST_CHARACTERS:
        return Skipped(_KIND, "too large")
    robots = [word for column, word in (("ows_index", "noindex"), ("ows_genai", "noai")) if row.get(column) is False]
    links = _first(row, _LINKS)
    page = ExtractedText(
        url=url,
        captured_at=at,
        text=text,
        title=_text(row.get("title")),
        language=_text(row.get("language")),
        description=_text(row.get("description")),
        links=[link for each in links if (link := _link(each))] if isinstance(links, list) else (),
        robots=robots,
    )
    return response_with(page)


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _moment(value: object) -> float | None:
    if isinstance(value, datetime):
        return (value if value.tzinfo is not None else value.replace(tzinfo=UTC)).timestamp()
    return archive_time(value) if isinstance(value, str) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _link(value: object) -> tuple[str, str] | None:
    if isinstance(value, Mapping):
        href = _first(value, _HREFS)
        return (href, _text(_first(value, _ANCHORS))) if isinstance(href, str) else None
    return (value, "") if isinstance(value, str) else None
