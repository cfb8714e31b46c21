"""The page budget of a crawl, and what a run that goes on with it makes of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hinterland.library.text.wording import number
from hinterland.storage.values.runs import RunReport

NO_BUDGET: Final = 0
"""A page budget that lifts the one of the last run."""
NONE: Final = "none"
"""The word for it."""


def last_budget(runs: Sequence[RunReport]) -> int | None:
    """The budget of the last of some runs, the newest first; None if it had none."""
    for run in runs:
        if (given := _given(run.command)) is not None:
            return given or None
        if reported := run.progress.get("max_pages"):
            return int(reported)
        if run.progress:
            return None
    return None


def kept_budget(last: int, pages: int) -> tuple[int | None, str]:
    """The budget of a run that is given none and goes on with one that had some, and what to tell of it. pages: in the
    store.
    """
    if pages >= last:
        return None, f"the page budget of {number(last)} is used up, so none holds now; --max-pages N sets one"
    return last, f"the page budget of {number(last)} stays; --max-pages N sets another, --max-pages {NONE} lifts it"


def _given(command: Sequence[str]) -> int | None:
    for word, following in zip(command, [*command[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == "--max-pages":
            text = value if equals else following
            digits = text.replace(",", "").replace("_", "")
            return int(digits) if digits.isdigit() else NO_BUDGET if text.strip().lower() == NONE else None
    return None
