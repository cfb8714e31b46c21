"""All kinds of fault, by name: a file for each family of them."""

from __future__ import annotations

from typing import Final

from benchmarks.faults.kinds import clocks, disks, networks, orders, processes
from benchmarks.faults.kinds.fault import Fault

FAULTS: Final[dict[str, Fault]] = {
    fault.name: fault for family in (processes, disks, clocks, networks, orders) for fault in family.FAULTS
}

__all__ = ["FAULTS", "Fault"]
