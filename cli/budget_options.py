"""Types of options that grant a crawl pages or visits."""

from __future__ import annotations

import argparse
from math import inf
from typing import Final

from hinterland.cli.command_parser import at_least_one
from hinterland.library.crawls.page_budget import NO_BUDGET, NONE

_UNITS: Final = {
    **dict.fromkeys(("s", "second"), 1.0),
    **dict.fromkeys(("min", "minute"), 60.0),
    **dict.fromkeys(("h", "hour"), 3_600.0),
    **dict.fromkeys(("d", "day"), 86_400.0),
}


def visit_budget(text: str) -> float:
    """Visits a second; inf for "max"."""
    if text == "max":
        return inf
    count, _, unit = text.replace(",", "").replace("_", "").partition("/")
    visits = float(count)
    if unit not in _UNITS or not 0 < visits < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no budget: write 5000/day, 200/hour, 3/s or max")
    return visits / _UNITS[unit]


def page_budget(text: str) -> int:
    """A number of pages, at least one, or NO_BUDGET for "none"; the type of an option."""
    if text.strip().lower() == NONE:
        return NO_BUDGET
    try:
        return at_least_one(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, or {NONE}") from None


page_budget.__name__ = "whole number"  # as `at_least_one`: argparse names the type in its messages
