"""What rules have extracted from pages, and which rules no longer match, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hinterland.library.text.wording import counted, number, printable

if TYPE_CHECKING:
    from hinterland.storage.values.extraction import Shortfall, TableReport


def extraction_lines(tables: Sequence[TableReport]) -> Iterator[str]:
    """Yield lines about each table of records; nothing if there are no rules."""
    if not tables:
        return
    yield ""
    yield "Extracted"
    for table in tables:
        if not table.pages:
            yield f"  {table.name}: no page that matches its pattern was read yet"
            continue
        yield f"  {table.name}: {counted(table.records, 'record')} from {counted(table.pages, 'page')}"
        if table.outdated:
            outdated = counted(table.outdated, "page")
            yield f"    {outdated} read by earlier rules; `extract` reads kept bodies again"
        if table.empty is not None:
            yield from _shortfall("    no record", "on", table.empty, table)
        for name, shortfall in table.missing.items():
            yield from _shortfall(f"    {name}: no value", "on", shortfall, table)
        for problem, shortfall in table.problems.items():
            yield from _shortfall(f"    {printable(problem)}", "for", shortfall, table)


def _shortfall(what: str, preposition: str, shortfall: Shortfall, table: TableReport) -> Iterator[str]:
    of_all = f"{preposition} {number(shortfall.pages)} of {counted(table.pages, 'page')}"
    yield f"{what} {of_all}{_trend(shortfall, table)}, such as"
    yield f"      {printable(shortfall.example)}"


def _trend(shortfall: Shortfall, table: TableReport) -> str:
    """Return words that say that a rule never matched or has stopped matching; "" if neither is true."""
    if shortfall.pages == table.pages:
        return ": it never matched"
    if shortfall.recent == table.recent:
        return f", including all of the last {number(table.recent)}: it no longer matches"
    return ""
