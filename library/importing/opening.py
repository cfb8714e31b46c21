"""Opens archives from other tools, by their formats, and yields their records as items."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hinterland.library.importing.format import ImportFormat, Limits
from hinterland.library.importing.formats import FORMATS, INDEX_ANSWER
from hinterland.library.importing.items import ArchiveItem, Skipped
from hinterland.library.importing.link_data import LinkDataReader

SUFFIXES: Final = (*(suffix for each in FORMATS for suffix in each.suffixes), INDEX_ANSWER)
"""Suffixes of archives and of their indexes, in lower or upper case."""
IN_FOLDERS: Final = tuple(suffix for each in FORMATS if each.is_in_folders for suffix in each.suffixes)
"""Suffixes of the files that are taken if a folder is named."""


def archive_items(path: Path, reader: LinkDataReader, limits: Limits) -> Iterator[ArchiveItem]:
    """Yield the content of a file, in its order. A file whose name fits no format is read as WARC. Raises OSError."""
    is_empty = True
    for item in _format_of(path).items(path, reader, limits):
        is_empty = False
        yield item
    if is_empty:
        yield Skipped("file", "it holds no record" if path.stat().st_size else "it is empty")


def _format_of(path: Path) -> ImportFormat:
    return next((each for each in FORMATS if path.name.lower().endswith(each.suffixes)), FORMATS[0])


def is_index_answer(path: Path) -> bool:
    """Return whether a file is an answer of an archive index, which names records of archives on another server."""
    return path.suffix.lower() == INDEX_ANSWER
