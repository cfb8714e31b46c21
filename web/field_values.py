"""Extracted records as table cells. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

_COLUMNS: Final = 30


def columns_of(records: Iterable[Mapping[str, object] | None]) -> list[str]:
    """Return the field names of all records in order of first appearance; at most thirty."""
    return list(dict.fromkeys(name for each in records if each is not None for name in each))[:_COLUMNS]


def in_a_cell(value: object) -> str:
    """Return the text of a field's value."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(in_a_cell, value))
    return str(value)
