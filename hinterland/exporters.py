"""What exporters are built on; `hinterland.exporters` is also the entry-point group of plug-in exporters.

An exporter is a `FileFormat`, a `FolderFormat` or, if it does not work row by row, a `GraphFormat`.
"""

from hinterland.distribution.extras import MissingPackage
from hinterland.storage.exports.format import FileFormat, FolderFormat, FormatOption, GraphFormat, Written
from hinterland.storage.exports.source import ExportSource, LinkRow, PageRow, Selection

__all__ = [
    "ExportSource",
    "FileFormat",
    "FolderFormat",
    "FormatOption",
    "GraphFormat",
    "LinkRow",
    "MissingPackage",
    "PageRow",
    "Selection",
    "Written",
]
