"""The definition of an export format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from hinterland.storage.exports.source import ExportSource


@dataclass(frozen=True, slots=True)
class Written:
    """What an export wrote: `count` times `unit`.

    `left_out` counts the pages left out, by the reason in words.
    """

    count: int
    unit: str
    left_out: dict[str, int]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format of one file; `write(source, what, file)` writes `what`, which is one of the listed values."""

    suffix: str
    what: Sequence[str]
    write: Callable[[ExportSource, str, BinaryIO], Written]
    is_text: bool = True
    needs: Callable[[], object] = lambda: None
    """Called before the file is created; raises MissingPackage if the format needs a package that is not installed."""


@dataclass(frozen=True, slots=True)
class FolderFormat:
    """A format of several files in a folder; `names` is a pattern that matches their paths within the folder."""

    suffix: str
    what: Sequence[str]
    write: Callable[[ExportSource, str, Path], Written]
    names: str


@dataclass(frozen=True, slots=True)
class GraphFormat:
    """A folder with all links of a store, or of a graph file.

    `names` is a pattern that matches the paths of its files within the folder. `write(path, folder)` exports the store
    or graph at `path`, and returns what it has written and further lines of its report. It raises UnusableGraph.
    """

    suffix: str
    write: Callable[[Path, Path], tuple[Written, Sequence[str]]]
    names: str
    what: Sequence[str] = ("links",)
    needs: Callable[[], object] = lambda: None
    """Called before the folder is created; raises MissingPackage if the format needs a package that is not installed.
    """


Format = FileFormat | FolderFormat | GraphFormat
