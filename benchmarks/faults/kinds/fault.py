"""What a kind of fault is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from benchmarks.faults.cell import Cell

CRAWLS: Final = ("bfs", "hinterland", "warc", "recrawl")
EVERYTHING: Final = (*CRAWLS, "index", "import")
NO_NETWORK: Final = {
    "index": "makes no requests",
    "import": "makes no requests",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of fault.

    `happen` does the work of a cell and injects the fault; it raises Lost, or records what is lost. `promise` is what a
    user may rely on. `without` says, by mode, why the fault makes no sense there. A fault that `needs_root` uses mounts
    or network interfaces, in namespaces of its own. For `flood` see WebPlan.
    """

    name: str
    promise: str
    happen: Callable[[Cell], None]
    without: Mapping[str, str] = field(default_factory=dict)
    needs_root: bool = False
    flood: int = 0
