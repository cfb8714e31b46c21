"""The cells of weathers and modes as text and JSON. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from benchmarks.internet.weathers_judge import Seen

Key = tuple[str, str]
"""(weather, mode)"""

_FIRST_COLUMN: Final = 16
_COLUMN: Final = 20


def table(cells: Mapping[Key, Seen], left_out: Sequence[str] = ()) -> str:
    """Return a row for each weather, a column for each mode; then what was lost, and the counts."""
    modes = list(dict.fromkeys(mode for _, mode in cells))
    lines = [_line("", modes)]
    weathers = dict.fromkeys(weather for weather, _ in cells)
    lines += (_line(weather, [_cell(cells.get((weather, mode))) for mode in modes]) for weather in weathers)
    lines.append("")
    for (weather, mode), seen in cells.items():
        lines += [f"{weather}, {mode}: {lost}" for lost in seen.lost]
    lines += left_out
    unfinished = sum(not seen.is_complete for seen in cells.values())
    more = f", {unfinished} stopped before their end" if unfinished else ""
    lines.append(f"{len(cells)} cells, {sum(bool(seen.lost) for seen in cells.values())} with something lost{more}")
    return "\n".join(lines) + "\n"


def in_words(weather: str, mode: str, seen: Seen, seconds: float) -> str:
    """Return the result of one cell, in a line."""
    how = "lost" if seen.lost else "kept" if seen.is_complete else "unfinished"
    counts = f"{seen.pages} pages, {seen.excused} withheld, {seen.waiting} waiting"
    if seen.passing:
        counts += f", {seen.passing} living hosts failed in passing"
    codes = ", ".join(map(str, seen.exit_codes))
    return "; ".join([f"{how:10} {weather}, {mode}, {seconds:.0f} s: {counts}, exit code {codes}", *seen.lost])


def as_json(cells: Mapping[Key, Seen]) -> list[dict[str, Any]]:
    """Return a value for each cell."""
    return [
        {
            "weather": weather,
            "mode": mode,
            "is_complete": seen.is_complete,
            **{name: getattr(seen, name) for name in Seen.__slots__},
        }
        for (weather, mode), seen in cells.items()
    ]


def _cell(seen: Seen | None) -> str:
    if seen is None:
        return "–"
    if seen.lost:
        return "LOST"
    codes = ", ".join(map(str, seen.exit_codes))
    return f"{seen.pages} pages ({codes})" if seen.is_complete else f"{seen.pages} + {seen.waiting} left"


def _line(label: str, cells: Sequence[str]) -> str:
    return f"{label:<{_FIRST_COLUMN}}" + "".join(f"{cell:>{_COLUMN}}" for cell in cells)
