"""Indexes whose lines name the links of each page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hinterland.library.importing.bounded_lines import bounded_lines
from hinterland.library.importing.format import Limits
from hinterland.library.importing.items import ArchiveItem, Skipped
from hinterland.library.importing.link_data import LinkDataReader


def items(path: Path, reader: LinkDataReader, _limits: Limits) -> Iterator[ArchiveItem]:
    """Yield the pages of an index. Raises OSError."""
    with path.open("rb") as file:
        for line in bounded_lines(file):
            item = Skipped("index line", "too long") if line is None else reader.cdxj(line)
            if item is not None:
                yield item
