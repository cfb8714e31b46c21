"""Reads lists of inlinks: tables of two columns, separated by tabs or commas."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hinterland.library.errors import HinterlandError

_SCHEMES: Final = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class InlinkRow:
    """One row of a list: the outside page `referrer` links to `target`.

    If `referrer` is None, `count` unnamed outside pages link to `target`.
    """

    referrer: str | None
    target: str
    count: int = 1


def inlink_rows(file: Path) -> Iterator[InlinkRow | None]:
    """Yield the rows of a list, and None for each row that is neither "referrer, target" nor "target, count".

    A first row that is neither counts as a header and is left out. Empty rows and further columns are ignored. The file
    is UTF-8. Raises HinterlandError if it cannot be read.
    """
    try:
        with file.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
            first = lines.readline()
            lines.seek(0)
            rows = csv.reader(lines, delimiter="\t" if "\t" in first else ",")
            for place, cells in enumerate(rows):
                row = _row([cell.strip() for cell in cells])
                if any(cells) and (row is not None or place):
                    yield row
    except OSError as error:
        raise HinterlandError(f"--inlinks {file}: {error.strerror}") from None
    except csv.Error as error:
        raise HinterlandError(f"--inlinks {file}: not a table of two columns ({error})") from None


def _row(cells: list[str]) -> InlinkRow | None:
    if len(cells) < 2 or not cells[0].lower().startswith(_SCHEMES):
        return None
    first, second = cells[:2]
    if second.lower().startswith(_SCHEMES):
        return InlinkRow(first, second)
    if second.isascii() and second.isdecimal():
        return InlinkRow(None, first, int(second[:9]))
    return None
