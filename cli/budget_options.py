"""Argument types of the options that set a budget of pages or of visits."""

from __future__ import annotations

import argparse

from hinterland.cli.command_parser import at_least_one
from hinterland.library.crawls.page_budget import NO_BUDGET, NONE
from hinterland.library.crawls.visit_budget import NoVisitBudget, visits_per_second


def visit_budget(text: str) -> float:
    """Return the visits per second that the value of an option allows; inf for "max"."""
    try:
        return visits_per_second(text)
    except NoVisitBudget as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def page_budget(text: str) -> int:
    """Return a number of pages, at least one, or NO_BUDGET for "none"."""
    if text.strip().lower() == NONE:
        return NO_BUDGET
    try:
        return at_least_one(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, or {NONE}") from None


visit_budget.__name__ = "budget"  # argparse names the type in its messages
page_budget.__name__ = "whole number"
