"""The definition of an export format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from hinterland.storage.exports.source import ExportSource


@dataclass(frozen=True, slots=True)
class Written:
    """The result of an export: it wrote `count` items of the kind `unit`.

    `left_out` maps each reason for leaving pages out to the number of these pages.
    """

    count: int
    unit: str
    left_out: dict[str, int]


class UnusableOption(Exception):
    """An option of a format has an unusable value; the message says which values can be used."""


@dataclass(frozen=True, slots=True)
class FormatOption:
    """An option of one format.

    `read` turns the text that the user gives into the value of the option, and raises UnusableOption. With `takes_all`,
    the option makes the export include every page, so no page may be left out.
    """

    help: str
    default: object
    read: Callable[[str], object]
    takes_all: bool = False


def one_of(*names: str) -> Callable[[str], object]:
    """Return a function for `FormatOption.read` that accepts only these names."""

    def read(text: str) -> object:
        if text not in names:
            raise UnusableOption(f"must be {' or '.join(names)}")
        return text

    return read


def whole_number(least: int, most: int) -> Callable[[str], object]:
    """Return a function for `FormatOption.read` that accepts a whole number from `least` to `most`."""

    def read(text: str) -> object:
        if not text.isascii() or not text.isdecimal() or not least <= int(text[:12]) <= most:
            raise UnusableOption(f"must be a whole number from {least:,} to {most:,}")
        return int(text)

    return read


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format that writes one file.

    `write(source, what, file)` exports `what`, which is one of the values in the field `what`, such as "pages".
    `options` are the options that only this format has; `source.selection.options` has their values. `forms` are
    variants of the format; the suffix of the target selects one of them.
    """

    suffix: str
    what: Sequence[str]
    write: Callable[[ExportSource, str, BinaryIO], Written]
    is_text: bool = True
    needs: Callable[[], object] = lambda: None
    """Called before the file is created; raises MissingPackage if the format needs a package that is not installed."""
    options: Mapping[str, FormatOption] = field(default_factory=dict)
    forms: Mapping[str, FileFormat] = field(default_factory=dict)
    has_ranks: bool = False
    """Whether it contains ranks, whatever it writes; otherwise those of several kinds do if they write pages."""


@dataclass(frozen=True, slots=True)
class FolderFormat:
    """A format that writes several files into a folder; `names` is a pattern that matches their paths in the folder.

    `options`, `forms` and `has_ranks` are as in FileFormat.
    """

    suffix: str
    what: Sequence[str]
    write: Callable[[ExportSource, str, Path], Written]
    names: str
    needs: Callable[[], object] = lambda: None
    options: Mapping[str, FormatOption] = field(default_factory=dict)
    forms: Mapping[str, FileFormat] = field(default_factory=dict)
    has_ranks: bool = False


@dataclass(frozen=True, slots=True)
class GraphFormat:
    """A folder with all links of a store, or of a graph file.

    `names` is a pattern that matches the paths of its files within the folder. `write(path, folder)` exports the store
    or graph at `path`, and returns how much it has written and further lines for the report. It raises UnusableGraph.
    """

    suffix: str
    write: Callable[[Path, Path], tuple[Written, Sequence[str]]]
    names: str
    what: Sequence[str] = ("links",)
    needs: Callable[[], object] = lambda: None
    """Called before the folder is created; raises MissingPackage if the format needs a package that is not installed.
    """


Format = FileFormat | FolderFormat | GraphFormat
