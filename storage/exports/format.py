"""What an export format is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from hinterland.storage.exports.source import ExportSource


@dataclass(frozen=True, slots=True)
class Written:
    """count: how many `unit`s. left_out: how many pages for each reason, in words."""

    count: int
    unit: str
    left_out: dict[str, int]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One file. write(source, what, file): `what` is one of the things it can write."""

    suffix: str
    what: Sequence[str]
    write: Callable[[ExportSource, str, BinaryIO], Written]
    is_text: bool = True
    needs: Callable[[], object] = lambda: None
    """Raises MissingPackage; called before there is a file."""


@dataclass(frozen=True, slots=True)
class FolderFormat:
    """A folder of files. names: a pattern that the path of each within the folder matches."""

    suffix: str
    what: Sequence[str]
    write: Callable[[ExportSource, str, Path], Written]
    names: str


@dataclass(frozen=True, slots=True)
class GraphFormat:
    """A folder with the links of a store, or of a graph in a file, as a whole.

    names: a pattern that the path of each file within the folder matches. write(path, folder): reads the store or the
    graph, and returns what it has written and
    more to tell of it. Raises UnusableGraph.
    """

    suffix: str
    write: Callable[[Path, Path], tuple[Written, Sequence[str]]]
    names: str
    what: Sequence[str] = ("links",)
    needs: Callable[[], object] = lambda: None
    """Raises MissingPackage; called before there is a folder."""


Format = FileFormat | FolderFormat | GraphFormat
