"""The budget of pages outside the local domain, as a user writes it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PAGES = re.compile(r"\d[\d,_]*")
_MULTIPLE = re.compile(r"(\d+\.\d*|\.\d+)n?|(\d+)n")


@dataclass(frozen=True, slots=True)
class HinterlandBudget:
    """A budget of outside pages: a number of pages, or a multiple of n, the number of local pages fetched."""

    pages: int = 0
    multiple: float = 0.0

    @classmethod
    def parse(cls, text: str) -> HinterlandBudget:
        """Return the budget that a text stands for; raises ValueError.

        A whole number such as "500" is a number of pages; "1.0", ".5", "2n" and "1.5n" are multiples of n.
        """
        stripped = text.strip()
        if _PAGES.fullmatch(stripped):
            return cls(pages=int(re.sub("[,_]", "", stripped)))
        if _MULTIPLE.fullmatch(stripped):
            return cls(multiple=float(stripped.rstrip("n")))
        raise ValueError(
            'expected a number of pages, such as "500", or a multiple of the local pages fetched, such as "1.0" or "2n"'
        )

    @property
    def is_none(self) -> bool:
        """Whether the budget is zero."""
        return not self.pages and not self.multiple

    def of(self, local_pages: int) -> int:
        """Return the budget in pages, given that `local_pages` local pages were fetched."""
        return self.pages + round(self.multiple * local_pages)
