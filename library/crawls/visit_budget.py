"""How many visits to pages that are known may be made, and in which time. Pure."""

from __future__ import annotations

from math import inf
from typing import Final

_UNITS: Final = {
    **dict.fromkeys(("s", "second"), 1.0),
    **dict.fromkeys(("min", "minute"), 60.0),
    **dict.fromkeys(("h", "hour"), 3_600.0),
    **dict.fromkeys(("d", "day"), 86_400.0),
}


class NoVisitBudget(ValueError):
    """The text names no budget; the message says what one looks like."""


def visits_per_second(text: str) -> float:
    """The visits a second that a budget such as "5000/day" grants; inf for "max". Raises NoVisitBudget, or ValueError
    if there is no number in it.
    """
    if text == "max":
        return inf
    count, _, unit = text.replace(",", "").replace("_", "").partition("/")
    visits = float(count)
    if unit not in _UNITS or not 0 < visits < inf:
        raise NoVisitBudget(f"{text!r} is no budget: write 5000/day, 200/hour, 3/s or max")
    return visits / _UNITS[unit]
