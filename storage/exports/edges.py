"""An edge list: one line for each pair of linked pages, with the two URLs separated by a tab."""

from __future__ import annotations

from typing import BinaryIO

from hinterland.storage.exports.format import FileFormat, Written
from hinterland.storage.exports.source import ExportSource


def _write(source: ExportSource, what: str, file: BinaryIO) -> Written:
    count = 0
    for edge in source.edges():
        file.write(f"{edge.source}\t{edge.target}\n".encode())
        count += 1
    return Written(count, "edges", {})


FORMAT = FileFormat(".edges.tsv", ("links",), _write)
