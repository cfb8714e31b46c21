"""What exporters are made of; `hinterland.exporters` is also the group of the entry points that offer some.

An exporter is a `FileFormat`, a `FolderFormat` or, if it does not go row by row, a `GraphFormat`.
"""

from hinterland.distribution.extras import MissingPackage
from hinterland.storage.exports.format import FileFormat, FolderFormat, GraphFormat, Written
from hinterland.storage.exports.source import ExportSource, LinkRow, PageRow, Selection

__all__ = [
    "ExportSource",
    "FileFormat",
    "FolderFormat",
    "GraphFormat",
    "LinkRow",
    "MissingPackage",
    "PageRow",
    "Selection",
    "Written",
]
