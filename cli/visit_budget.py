"""How many visits a user grants, and in which time."""

from __future__ import annotations

import argparse
from math import inf
from typing import Final

_UNITS: Final = {
    **dict.fromkeys(("s", "second"), 1.0),
    **dict.fromkeys(("min", "minute"), 60.0),
    **dict.fromkeys(("h", "hour"), 3_600.0),
    **dict.fromkeys(("d", "day"), 86_400.0),
}


def budget(text: str) -> float:
    """Visits a second; inf for "max"."""
    if text == "max":
        return inf
    count, _, unit = text.replace(",", "").replace("_", "").partition("/")
    visits = float(count)
    if unit not in _UNITS or not 0 < visits < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no budget: write 5000/day, 200/hour, 3/s or max")
    return visits / _UNITS[unit]
