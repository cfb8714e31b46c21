"""Records that rules took out of pages, as the cells of a table. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

_COLUMNS: Final = 30


def columns_of(records: Iterable[Mapping[str, object] | None]) -> list[str]:
    """The fields of all of them, in the order in which they come up; the first thirty."""
    return list(dict.fromkeys(name for each in records if each is not None for name in each))[:_COLUMNS]


def in_a_cell(value: object) -> str:
    """A value of a field."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(in_a_cell, value))
    return str(value)
