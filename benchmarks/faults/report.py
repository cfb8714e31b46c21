"""The matrix of what was seen, as text, Markdown and JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.faults.cell import Seen

Key = tuple[str, str]
"""(kind of fault, mode)"""


@dataclass(slots=True)
class Matrix:
    """Mutable: filled cell by cell. senseless: why a fault cannot happen in a mode."""

    kinds: list[str]
    modes: list[str]
    speed: float
    promises: dict[str, str] = field(default_factory=dict)
    cells: dict[Key, Seen] = field(default_factory=dict)
    senseless: dict[Key, str] = field(default_factory=dict)

    @property
    def lost(self) -> list[Key]:
        """The cells in which something was lost."""
        return [key for key, seen in self.cells.items() if seen.lost]

    def as_json(self) -> dict[str, Any]:
        """Return the matrix as JSON values."""
        return {
            "speed": self.speed,
            "cells": [
                {"kind": kind, "mode": mode, "promise": self.promises[kind], **asdict(seen)}
                for (kind, mode), seen in self.cells.items()
            ],
            "senseless": [{"kind": kind, "mode": mode, "why": why} for (kind, mode), why in self.senseless.items()],
        }


def as_text(matrix: Matrix) -> str:
    """Return a line for each cell in which something was lost, after the counts."""
    found = [f"{kind}, {mode}: {'; '.join(matrix.cells[kind, mode].lost)}" for kind, mode in matrix.lost]
    return "\n".join([f"{len(matrix.cells)} cells, {len(found)} with something lost", *found])


def as_markdown(matrix: Matrix) -> str:
    """Return a row for each kind: the promise, and what happened in each mode."""
    lines = [
        "| fault | promised | " + " | ".join(matrix.modes) + " |",
        "|---|---|" + "---|" * len(matrix.modes),
    ]
    above = ""
    for kind in matrix.kinds:
        promise = matrix.promises[kind]
        cells = [_cell(matrix, kind, mode) for mode in matrix.modes]
        lines.append(f"| {kind} | {'as above' if promise == above else promise} | " + " | ".join(cells) + " |")
        above = promise
    counts = Counter("lost" if seen.lost else "kept" for seen in matrix.cells.values())
    lines += ["", f"{len(matrix.cells)} cells: {counts['kept']} kept, {counts['lost']} with something lost."]
    return "\n".join(lines) + "\n"


def _cell(matrix: Matrix, kind: str, mode: str) -> str:
    if (kind, mode) in matrix.senseless:
        return "–"
    seen = matrix.cells[kind, mode]
    if seen.lost:
        return "**lost**: " + "; ".join(seen.lost).replace("|", "\\|")
    ends = ", ".join("killed" if code is None or code < 0 else str(code) for code in seen.ends)
    after = "".join(f", {claim}" for claim in seen.claims if claim.startswith("after"))
    return f"equal{after} ({ends})"
