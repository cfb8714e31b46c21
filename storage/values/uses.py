"""What pages may be used for, and which pages of a store refuse a use. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class Use(StrEnum):
    """A category of use. All names but that of AI_INPUT come from the header field Content-Usage."""

    SEARCH = "search"
    """To list the page in search results, with a link to it and an excerpt."""
    AI_INPUT = "ai-input"
    """To give the page to an AI system that answers from it; Content-Usage calls it ai-use."""
    TRAIN_AI = "train-ai"
    """To train a model that generates content."""


USE_IN_WORDS: Final[Mapping[Use, str]] = {
    Use.SEARCH: "search",
    Use.AI_INPUT: "input of AI systems",
    Use.TRAIN_AI: "training of AI models",
}


def combined(statements: Iterable[Mapping[Use, bool]]) -> dict[Use, bool]:
    """Return, for each use that a statement names, whether all statements about this use allow it."""
    found: dict[Use, bool] = {}
    for allowed in statements:
        for use, is_allowed in allowed.items():
            found[use] = found.get(use, True) and is_allowed
    return found


@dataclass(slots=True)
class RefusedPages:
    """The pages of a store that may not be used for some purpose.

    `pages` holds their numbers. `reasons` maps each statement, as written, to the number of pages to which it applies.
    """

    pages: set[int] = field(default_factory=set)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, page: int, reasons: Iterable[str]) -> None:
        """Add a page, with the statements that refuse the use."""
        self.pages.add(page)
        self.reasons.update(reasons)

    def include(self, other: RefusedPages) -> None:
        """Add all pages of another instance."""
        self.pages |= other.pages
        self.reasons.update(other.reasons)
