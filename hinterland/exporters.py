"""What exporters are made of; `hinterland.exporters` is also the group of the entry points that offer some.

An exporter is a `FileFormat` or a `FolderFormat`.
"""

from hinterland.storage.exports.format import FileFormat, FolderFormat, MissingPackage, Written
from hinterland.storage.exports.source import ExportSource, LinkRow, PageRow, Selection

__all__ = [
    "ExportSource",
    "FileFormat",
    "FolderFormat",
    "LinkRow",
    "MissingPackage",
    "PageRow",
    "Selection",
    "Written",
]
