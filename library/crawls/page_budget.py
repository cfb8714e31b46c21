"""The page budget of a crawl, and which budget a resumed crawl has. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hinterland.library.text.wording import number
from hinterland.storage.values.runs import RunReport

NO_BUDGET: Final = 0
"""The value of a page budget that removes the budget of the last run."""
NONE: Final = "none"
"""The value of --max-pages that stands for NO_BUDGET."""


def last_budget(runs: Sequence[RunReport]) -> int | None:
    """Return the page budget of the last run; None if it had no budget. `runs` are ordered newest first."""
    for run in runs:
        if (given := _given(run.command)) is not None:
            return given or None
        if reported := run.progress.get("max_pages"):
            return int(reported)
        if run.progress:
            return None
    return None


def kept_budget(last: int, pages: int) -> tuple[int | None, str]:
    """Return the page budget of a resumed run if the user gives none, and a note about it.

    `last` is the budget of the last run, and `pages` the number of pages in the store.
    """
    if pages >= last:
        return None, f"the page budget of {number(last)} is used up, so this run has none; --max-pages N sets one"
    return last, f"the page budget of {number(last)} is kept; --max-pages N sets another, --max-pages {NONE} removes it"


def _given(command: Sequence[str]) -> int | None:
    for word, following in zip(command, [*command[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == "--max-pages":
            text = value if equals else following
            digits = text.replace(",", "").replace("_", "")
            return int(digits) if digits.isdigit() else NO_BUDGET if text.strip().lower() == NONE else None
    return None
