"""The CDXJ index of a folder of WARC files: one sorted line a response, which replay software searches.

    example,a)/page 20261121083400 {"url": ..., "mime": ..., "status": ..., "digest": ..., "length": ..., ...}
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from heapq import merge
from pathlib import Path

from storage.warc.reading import BrokenArchive, archive_records
from storage.warc.surt import surt

INDEX_NAME = "index.cdxj"
_INDEXED = ("response", "revisit", "resource")
_LINES_IN_MEMORY = 200_000


def finished_files(folder: Path) -> list[Path]:
    return sorted((*folder.glob("*.warc.gz"), *folder.glob("*.warc")))


def write_index(folder: Path) -> int:
    """Index all finished WARC files of a folder into its `index.cdxj`; returns how many lines that are.

    Sorts in parts, so memory does not grow with the folder. Raises OSError; what cannot be read of a broken
    file is left out.
    """
    lines = 0
    with tempfile.TemporaryDirectory(prefix=".index-", dir=folder) as parts, ExitStack() as opened:
        files = [opened.enter_context(part.open(encoding="utf-8")) for part in _sorted_parts(folder, Path(parts))]
        new = Path(parts) / INDEX_NAME
        with new.open("w", encoding="utf-8") as index:
            for line in merge(*files):
                index.write(line)
                lines += 1
        new.replace(folder / INDEX_NAME)
    return lines


def index_lines(file: Path) -> Iterator[str]:
    """The lines of one file, in its own order."""
    try:
        for record in archive_records(file):
            if record.kind in _INDEXED and record.url.startswith(("http://", "https://")):
                moment = re.sub(r"\D", "", record.date)[:14]
                fields = {
                    "url": record.url,
                    "mime": "warc/revisit" if record.kind == "revisit" else record.media_type or "unk",
                    "status": str(record.status) if record.status is not None else "200",
                    "digest": record.payload_digest.removeprefix("sha1:"),
                    "length": str(record.finish()),
                    "offset": str(record.offset),
                    "filename": file.name,
                }
                yield f"{surt(record.url)} {moment} {json.dumps(fields, ensure_ascii=False)}\n"
    except BrokenArchive:
        return


def _sorted_parts(folder: Path, place: Path) -> Iterator[Path]:
    lines: list[str] = []
    number = 0
    for file in finished_files(folder):
        for line in index_lines(file):
            lines.append(line)
            if len(lines) >= _LINES_IN_MEMORY:
                yield _part(lines, place / str(number))
                lines, number = [], number + 1
    yield _part(lines, place / str(number))


def _part(lines: list[str], path: Path) -> Path:
    path.write_text("".join(sorted(lines)), encoding="utf-8")
    return path
