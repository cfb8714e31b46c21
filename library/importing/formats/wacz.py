"""Packages of WARC files with an index (WACZ), and packages that contain such packages."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from hinterland.library.importing.format import Limits
from hinterland.library.importing.formats import warc
from hinterland.library.importing.items import ArchiveItem, Skipped
from hinterland.library.importing.link_data import LinkDataReader
from hinterland.storage.warc.wacz_reading import UnusableWacz, warcs_in


def items(path: Path, reader: LinkDataReader, limits: Limits) -> Iterator[ArchiveItem]:
    """Yield the records of the WARC files in a package. Raises OSError."""
    with tempfile.TemporaryDirectory(prefix="wacz-") as folder:
        try:
            for inner in warcs_in(path, Path(folder)):
                yield from warc.items(inner, reader, limits)
        except UnusableWacz as error:
            yield Skipped("file", str(error))
