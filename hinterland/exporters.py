"""The base of exporters in plug-ins; `hinterland.exporters` is also their entry-point group.

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
