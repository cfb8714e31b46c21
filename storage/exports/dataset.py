"""Parquet files in a folder, partitioned by host or date as in Hive: `host_name=a.example/part-00000.parquet`.

Pages are read partition by partition. This takes 16 bytes of memory per page, and the rows of one file at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

from hinterland.storage.exports.arrow import page_schema, page_values, require_pyarrow
from hinterland.storage.exports.format import FolderFormat, FormatOption, Written, one_of
from hinterland.storage.exports.source import ExportSource, PageRow
from hinterland.storage.warc.surt import surt

MAX_ROWS: Final = 20_000
MAX_TEXT_CHARACTERS: Final = 8_000_000
_NO_DATE: Final = "__HIVE_DEFAULT_PARTITION__"


def _host_name(page: PageRow) -> str:
    return urlsplit(page.url).hostname or ""


def _moment(page: PageRow) -> datetime | None:
    return None if page.fetched_at is None else datetime.fromtimestamp(page.fetched_at, UTC)


_COMMON_CRAWL: Final[Mapping[str, tuple[str, Callable[[PageRow], object]]]] = {
    "url_surtkey": ("string", lambda page: surt(page.url)),
    "url": ("string", lambda page: page.url),
    "url_host_name": ("string", _host_name),
    "url_host_registered_domain": ("string", lambda page: page.site),
    "url_protocol": ("string", lambda page: urlsplit(page.url).scheme),
    "url_port": ("int32", lambda page: urlsplit(page.url).port),
    "url_path": ("string", lambda page: urlsplit(page.url).path),
    "url_query": ("string", lambda page: urlsplit(page.url).query or None),
    "fetch_time": ("timestamp", _moment),
    "fetch_status": ("int16", lambda page: page.status),
    "fetch_redirect": ("string", lambda page: page.redirect_target),
    "content_mime_type": ("string", lambda page: (page.content_type or "").partition(";")[0].strip().lower() or None),
    "content_charset": ("string", lambda page: page.charset),
}
"""Columns of Common Crawl's index by name, with their types. Columns that a store cannot fill in the same way are left
out.
"""


def _write(source: ExportSource, what: str, folder: Path) -> Written:
    options = source.selection.options
    is_common = options["columns"] == "common-crawl"
    by_host = options["by"] == "host"
    key = ("url_host_name" if is_common else "host_name") if by_host else "fetch_date"
    schema = _common_crawl_schema(key) if is_common else page_schema(with_text=source.selection.with_text)
    count, not_fetched = 0, 0
    for part, numbers in _parts(source, by_host=by_host):
        rows: list[dict[str, Any]] = []
        files = characters = 0
        place = folder / f"{key}={quote(part, safe='')}"
        for page in source.rows_of(numbers):
            if is_common and page.status is None:
                not_fetched += 1
                continue
            rows.append(
                {name: read(page) for name, (_, read) in _COMMON_CRAWL.items()} if is_common else page_values(page)
            )
            count += 1
            characters += len(page.text or "")
            if len(rows) >= MAX_ROWS or characters > MAX_TEXT_CHARACTERS:
                _write_file(place, files, rows, schema)
                rows, files, characters = [], files + 1, 0
        if rows:
            _write_file(place, files, rows, schema)
    return Written(count, what, {"not answered": not_fetched} if not_fetched else {})


def _parts(source: ExportSource, *, by_host: bool) -> Iterator[tuple[str, Iterator[int]]]:
    """Yield each host name or date in ascending order, with the numbers of its pages."""
    import numpy as np

    values: dict[str, int] = {}
    pages, of = array("q"), array("q")
    names: dict[int, str] = {}
    if by_host:
        hosts = source.store.connection.execute("SELECT id, url FROM host")
        names = {number: urlsplit(url).hostname or "" for number, url in hosts}
    for page, host, visited_at in source.page_keys():
        value = names.get(host, "") if by_host else _date(visited_at)
        pages.append(page)
        of.append(values.setdefault(value, len(values)))
    if not values:
        return
    numbers, parts = np.frombuffer(pages, np.int64), np.frombuffer(of, np.int64)
    order = np.argsort(parts, kind="stable")
    ends: list[int] = np.cumsum(np.bincount(parts, minlength=len(values))).tolist()
    for value, number in sorted(values.items()):
        start = ends[number - 1] if number else 0
        yield value, (int(page) for page in numbers[order[start : ends[number]]])


def _write_file(folder: Path, number: int, rows: list[dict[str, Any]], schema: Any) -> None:
    import pyarrow as pa
    from pyarrow.parquet import write_table

    folder.mkdir(exist_ok=True)
    table = pa.Table.from_pylist(rows, schema=schema)
    write_table(table, folder / f"part-{number:05}.parquet", compression="zstd")


def _common_crawl_schema(key: str) -> Any:
    import pyarrow as pa

    types = {"timestamp": pa.timestamp("ms", tz="UTC"), "string": pa.string(), "int16": pa.int16(), "int32": pa.int32()}
    return pa.schema([(name, types[kind]) for name, (kind, _) in _COMMON_CRAWL.items() if name != key])


def _date(visited_at: float | None) -> str:
    return _NO_DATE if visited_at is None else f"{datetime.fromtimestamp(visited_at, UTC):%Y-%m-%d}"


FORMAT = FolderFormat(
    ".dataset",
    ("pages",),
    _write,
    r"(?:url_host_name|host_name|fetch_date)=[^/]+(/part-\d+\.parquet)?",
    needs=partial(require_pyarrow, "--format dataset", "take --format jsonl"),
    options={
        "by": FormatOption("the folders: host, or date of the visit", "host", one_of("host", "date")),
        "columns": FormatOption(
            "the names of the columns: own, or as in the index of Common Crawl", "own", one_of("own", "common-crawl")
        ),
    },
    has_ranks=True,
)
