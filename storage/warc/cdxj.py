"""The CDXJ index of a folder of WARC files: one sorted line per response, searched by replay software.

example,a)/page 20261121083400 {"url": ..., "mime": ..., "status": ..., "digest": ..., "length": ..., ...}
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import lru_cache
from heapq import merge
from pathlib import Path

from hinterland.storage.sorted_runs import SortedRuns
from hinterland.storage.warc.reading import BrokenArchive, archive_records
from hinterland.storage.warc.surt import surt

INDEX_NAME = "index.cdxj"
_INDEXED = ("response", "revisit", "resource")
_LINES_IN_MEMORY = 50_000
_FILE = re.compile(r'"filename": ("(?:[^"\\]|\\.)*")\}$')
REVISIT_TYPE = "warc/revisit"
"""The media type of revisit records in the index. Their status is that of the original and is left out."""


def finished_files(folder: Path) -> list[Path]:
    """Return the finished WARC files of a folder, by name."""
    return sorted((*folder.glob("*.warc.gz"), *folder.glob("*.warc")))


def write_index(folder: Path) -> int:
    """Index all finished WARC files of a folder into its `index.cdxj`, and return the number of lines.

    Lines are sorted on disk, so memory does not grow with the folder. The unreadable rest of a broken file is left out.
    Raises OSError.
    """
    return _write(folder, finished_files(folder), frozenset())


def update_index(folder: Path) -> None:
    """Index only files that the index lacks or that were written after it.

    Raises OSError.
    """
    files = {file.name: file for file in finished_files(folder)}
    indexed = _indexed_files(folder / INDEX_NAME)
    if indexed is None:
        if files:
            write_index(folder)
        return
    at = (folder / INDEX_NAME).stat().st_mtime_ns
    kept = {name for name, file in files.items() if name in indexed and file.stat().st_mtime_ns <= at}
    if len(kept) < len(files) or kept != indexed:
        _write(folder, [file for name, file in files.items() if name not in kept], frozenset(kept))


def _write(folder: Path, files: Sequence[Path], kept: frozenset[str]) -> int:
    """Write the index; the lines of files in `kept` are taken from the existing index."""
    written = 0
    with ExitStack() as opened:
        place = opened.enter_context(tempfile.TemporaryDirectory(prefix=".index-", dir=folder))
        lines = opened.enter_context(SortedRuns[str].opened(folder, _LINES_IN_MEMORY))
        for file in files:
            lines.extend(index_lines(file))
        old: Iterable[str] = ()
        if kept:
            index = opened.enter_context((folder / INDEX_NAME).open(encoding="utf-8"))
            old = (line for line in index if _file_of(line) in kept)
        new = Path(place) / INDEX_NAME
        with new.open("w", encoding="utf-8") as index:
            for line in merge(old, lines):
                index.write(line)
                written += 1
        new.replace(folder / INDEX_NAME)
    return written


def _indexed_files(index: Path) -> set[str] | None:
    """Return the files whose lines an index holds; None if there is no index, or it cannot be searched."""
    names = set[str]()
    before = ""
    try:
        with index.open(encoding="utf-8") as lines:
            for line in lines:
                name = _file_of(line)
                if name is None or line < before:
                    return None
                names.add(name)
                before = line
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return names


def _file_of(line: str) -> str | None:
    found = _FILE.search(line)
    return None if found is None else _unquoted(found[1])


@lru_cache(maxsize=256)
def _unquoted(text: str) -> str:
    return str(json.loads(text))


def index_lines(file: Path) -> Iterator[str]:
    """Yield the index lines of one file, in the order of the file."""
    try:
        for record in archive_records(file):
            if record.kind in _INDEXED and record.url.startswith(("http://", "https://")):
                moment = re.sub(r"\D", "", record.date)[:14]
                is_revisit = record.kind == "revisit"
                status = {} if is_revisit else {"status": str(record.status) if record.status is not None else "200"}
                fields = {
                    "url": record.url,
                    "mime": REVISIT_TYPE if is_revisit else record.media_type or "unk",
                    **status,
                    "digest": record.payload_digest.removeprefix("sha1:"),
                    "length": str(record.finish()),
                    "offset": str(record.offset),
                    "filename": file.name,
                }
                yield f"{surt(record.url)} {moment} {json.dumps(fields, ensure_ascii=False)}\n"
    except BrokenArchive:
        return
