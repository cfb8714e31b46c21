"""The definition of an archive format: its names, its contents, and how its files are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from hinterland.library.importing.items import ArchiveItem
from hinterland.library.importing.link_data import LinkDataReader


@dataclass(frozen=True, slots=True)
class Limits:
    """Which parts of responses are read.

    If the type of a response is not among `content_types`, it is imported without its body. `max_body_bytes` limits
    bodies in the size in which they were sent.
    """

    content_types: frozenset[str]
    max_body_bytes: int


ItemsReader = Callable[[Path, LinkDataReader, Limits], Iterator[ArchiveItem]]
"""Yields the content of a file, in its order. It raises OSError, but damaged or hostile content never raises."""


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A format that `import` reads: files whose names end in one of `suffixes`, in lower or upper case.

    `holds` describes the format in `import --help`. `module` of this package has the function `items`, an ItemsReader;
    it is imported when the first file is read. If `is_in_folders`, files of this format are imported when the user
    names only their folder.
    """

    name: str
    suffixes: tuple[str, ...]
    holds: str
    module: str
    is_in_folders: bool = True

    @property
    def items(self) -> ItemsReader:
        """Return the function that reads a file."""
        found: ItemsReader = import_module(f"{__package__}.formats.{self.module}").items
        return found
