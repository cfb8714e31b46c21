"""Reads the rows of a table, and distinguishes tables of data from tables that only arrange the page. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

_ARRANGED: Final = frozenset({"table", "h1", "h2", "h3", "h4", "h5", "h6"})
_NO_DATA: Final = frozenset({"pre", "dl", "blockquote"})
_MOST_LOOKED_AT: Final = 20_000


def has_columns(table: LexborNode) -> bool:
    """Return whether a table holds data in columns and does not just arrange parts of the page."""
    if (table.attributes.get("role") or "").lower() in ("presentation", "none"):
        return False
    has_heads = has_parts = False
    most_cells = 0
    end = table.mem_id
    for node in islice(table.traverse(), _MOST_LOOKED_AT):
        tag = node.tag or ""
        if tag == "tr":
            most_cells = max(most_cells, sum(1 for cell in node.iter() if cell.tag in ("td", "th")))
        elif tag == "th":
            has_heads = True
        elif tag in _ARRANGED and node.mem_id != end:
            return False
        has_parts |= tag in _NO_DATA
    return most_cells > 1 and (has_heads or not has_parts)


def table_parts(table: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Yield the captions and rows of a table in order, each with a flag that says whether it is in a <thead>."""
    for part in table.iter():
        if part.tag in ("caption", "tr"):
            yield part, False
        elif part.tag in ("thead", "tbody", "tfoot"):
            yield from ((row, part.tag == "thead") for row in part.iter() if row.tag == "tr")
