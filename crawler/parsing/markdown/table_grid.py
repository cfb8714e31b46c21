"""Writes a table as Markdown (GFM), one line for each row. Pure.

GFM has no cells that span columns or rows, and no tables without a head. So the text of a cell that spans several
places is written in the first place, and the other places stay empty. A table without a head gets an empty head.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_MOST_COLUMNS: Final = 1_000
_MOST_SPAN: Final = 1_000
_MOST_CELLS: Final = 200_000
_PIPE: Final = re.compile(r"\|")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its Markdown in one line, and how many columns and rows it spans."""

    text: str
    is_head: bool = False
    columns: int = 1
    rows: int = 1


def span(value: str | None) -> int:
    """Return the value of a colspan or rowspan as a number, 1 if it is not valid."""
    text = (value or "").strip()
    return min(int(text), _MOST_SPAN) if text.isascii() and text.isdecimal() and 0 < len(text) < 6 and int(text) else 1


def table_markdown(rows: Sequence[Sequence[Cell]], *, has_head: bool) -> str:
    """Return the table; "" if it has no cells. `has_head` says that its first row is in a <thead>."""
    grid = _grid(rows)
    width = max(map(len, grid), default=0)
    if not width:
        return ""
    is_headed = has_head or all(cell.is_head for cell in rows[0])
    head, body = (grid[0], grid[1:]) if is_headed else ([], grid)
    return "\n".join((_line(head, width), "|" + " --- |" * width, *(_line(row, width) for row in body)))


def _grid(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    taken: dict[int, int] = {}  # for each column, into how many of the next rows a cell from above extends
    grid: list[list[str]] = []
    cells = 0
    for row in rows:
        line: list[str] = []
        going_on = {column: left - 1 for column, left in taken.items() if left > 1}
        for cell in row:
            while len(line) in taken:
                line.append("")
            start = len(line)
            end = min(start + cell.columns, _MOST_COLUMNS) if cells < _MOST_CELLS else start + 1
            line += [cell.text, *[""] * (end - start - 1)]
            if cell.rows > 1:
                going_on |= dict.fromkeys(range(start, len(line)), cell.rows - 1)
        cells += len(line)
        grid.append(line)
        taken = going_on
    return grid


def _line(cells: Sequence[str], width: int) -> str:
    texts = [_PIPE.sub(r"\\|", text) for text in cells] + [""] * (width - len(cells))
    return "|" + "".join(f" {text} |" if text else " |" for text in texts)
