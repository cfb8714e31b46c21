"""The CDXJ index of a folder of WARC files: one sorted line per response, searched by replay software.

example,a)/page 20261121083400 {"url": ..., "mime": ..., "status": ..., "digest": ..., "length": ..., ...}
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import ExitStack, suppress
from functools import lru_cache
from heapq import merge
from pathlib import Path
from typing import Final

from hinterland.storage.sorted_runs import SortedRuns
from hinterland.storage.warc.reading import ArchiveRecord, BrokenArchive, placed_records
from hinterland.storage.warc.surt import surt

INDEX_NAME = "index.cdxj"
ENDINGS = (".warc", ".warc.gz", ".arc", ".arc.gz")
_INDEXED = ("response", "revisit", "resource")
_LINES_IN_MEMORY = 50_000
_NO_DIGIT = re.compile(r"\D")
_FILE = re.compile(r'"filename": ("(?:[^"\\]|\\.)*")\}$')
_KEY_THAT_CHANGED: Final = re.compile(r"[\d\[]|[^ ]*[%&]")
"""The keys of earlier versions that may be others today: those of IP addresses, and those with escapes or sorted parts.
"""
_MOST_CHECKED: Final = 10_000
"""At most this many keys are compared with those of today, since an index may have millions."""
REVISIT_TYPE = "warc/revisit"
"""The media type of revisit records in the index. Their status is that of the original and is left out."""


def finished_files(folder: Path) -> list[Path]:
    """Return the finished WARC and ARC files of a folder, by name."""
    return sorted(path for path in folder.iterdir() if path.name.lower().endswith(ENDINGS))


def write_index(folder: Path) -> int:
    """Index all finished WARC files of a folder into its `index.cdxj`, and return the number of lines.

    Lines are sorted on disk, so memory does not grow with the folder. Damaged records are left out. Raises OSError.
    """
    return _write(folder, finished_files(folder), frozenset(), ())


def update_index(folder: Path, new: Iterable[str] = (), of: Set[str] = frozenset()) -> None:
    """Add to the index all files that it lacks, and update it for files that were written after it.

    `new` are the sorted lines of the files named in `of`; these files are not read. Raises OSError.
    """
    files = {file.name: file for file in finished_files(folder)}
    indexed = _indexed_files(folder / INDEX_NAME)
    kept = set[str]()
    if indexed is None:
        if not files:
            return
    else:
        at = (folder / INDEX_NAME).stat().st_mtime_ns
        kept = {name for name, file in files.items() if name in indexed and file.stat().st_mtime_ns <= at} - of
    if not of <= files.keys():  # somebody has moved what was just written
        new = (line for line in new if _file_of(line) in files)
    if len(kept) < len(files) or kept != indexed:
        unread = [file for name, file in files.items() if name not in kept and name not in of]
        _write(folder, unread, frozenset(kept), new)


def _write(folder: Path, files: Sequence[Path], kept: frozenset[str], new: Iterable[str]) -> int:
    """Write the index of a folder, and return the number of lines.

    `files` are read. The lines of the files in `kept` come from the existing index. `new` are the sorted lines of
    further files.
    """
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
        whole = Path(place) / INDEX_NAME
        with whole.open("w", encoding="utf-8") as index:
            for line in merge(old, lines, new):
                index.write(line)
                written += 1
        whole.replace(folder / INDEX_NAME)
    return written


def _indexed_files(index: Path) -> set[str] | None:
    """Return the names of the files in an index; None if there is no index, or it cannot be searched.

    An index of an earlier version cannot be searched if it has a key that is formed differently today.
    """
    names = set[str]()
    before, checked = "", 0
    try:
        with index.open(encoding="utf-8") as lines:
            for line in lines:
                name = _file_of(line)
                if name is None or line < before:
                    return None
                if checked < _MOST_CHECKED and _KEY_THAT_CHANGED.match(line):
                    checked += 1
                    if not _has_todays_key(line):
                        return None
                names.add(name)
                before = line
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return names


def _has_todays_key(line: str) -> bool:
    try:
        key, _, fields = line.split(" ", 2)
        return surt(json.loads(fields)["url"]) == key
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


def _file_of(line: str) -> str | None:
    found = _FILE.search(line)
    return None if found is None else _unquoted(found[1])


@lru_cache(maxsize=256)
def _unquoted(text: str) -> str:
    return str(json.loads(text))


def index_lines(file: Path) -> Iterator[str]:
    """Yield the index lines of one file, in the order of the file; damaged records are left out."""
    return lines_of_records(placed_records(file), file.name)


def lines_of_records(records: Iterable[ArchiveRecord], file: str, offset: int = 0) -> Iterator[str]:
    """Yield the index lines of records that begin at `offset` in a file. Damaged records are left out."""
    for record in records:
        if record.kind not in _INDEXED or not record.url.startswith(("http://", "https://")):
            continue
        status = "200" if record.status is None else str(record.status)
        with suppress(BrokenArchive):
            yield index_line(
                record.url,
                record.date,
                None if record.kind == "revisit" else (record.media_type or "unk", status),
                record.payload_digest,
                length=record.finish(),
                offset=offset + record.offset,
                file=file,
            )


def index_line(
    url: str,
    date: str,
    type_and_status: tuple[str, str] | None,
    payload_digest: str,
    *,
    length: int,
    offset: int,
    file: str,
) -> str:
    """Return the index line of a record.

    `type_and_status` is (media type, status), None for a revisit record. `date` is the date of the record.
    """
    kind = REVISIT_TYPE if type_and_status is None else type_and_status[0]
    status = "" if type_and_status is None else f' "status": {_quoted(type_and_status[1])},'
    return (
        f"{surt(url)} {_NO_DIGIT.sub('', date)[:14]} "
        f'{{"url": {_quoted(url)}, "mime": {_quoted(kind)},{status} '
        f'"digest": {_quoted(payload_digest.removeprefix("sha1:"))}, "length": "{length}", "offset": "{offset}", '
        f'"filename": {_quoted(file)}}}\n'
    )


_quoted: Final = json.JSONEncoder(ensure_ascii=False).encode
