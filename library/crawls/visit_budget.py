"""The budget of a recrawl: the number of visits to known pages per unit of time. Pure."""

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
    """Raised if a text is not a budget; the message shows valid budgets."""


def visits_per_second(text: str) -> float:
    """Return the visits per second that a budget such as "5000/day" allows; inf for "max". Raises NoVisitBudget."""
    if text == "max":
        return inf
    count, _, unit = text.replace(",", "").replace("_", "").partition("/")
    try:
        visits = float(count)
    except ValueError:
        visits = 0.0
    if unit not in _UNITS or not 0 < visits < inf:
        raise NoVisitBudget(f"{text!r} is not a budget: write 5000/day, 200/hour, 3/s or max")
    return visits / _UNITS[unit]
