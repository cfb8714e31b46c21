"""Preferences about the use of a page, and how statements from several places combine. Pure.

The model is that of the IETF's draft "A Vocabulary For Expressing AI Usage Preferences" (draft-ietf-aipref-vocab): a
statement allows or disallows some categories of use and says nothing about the others; where statements disagree, the
most restrictive one applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class Use(StrEnum):
    """A category of use. Except for AI_INPUT, the names are those of the field Content-Usage."""

    SEARCH = "search"
    """To list the page in search results, with a link to it and an excerpt."""
    AI_INPUT = "ai-input"
    """To give the page to an AI system that answers from it; Content-Usage calls it ai-use."""
    TRAIN_AI = "train-ai"
    """To train a model that generates content."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement about the use of a page.

    `source` names the place that it was read from, such as "robots.txt"; `text` is the statement as written. `allowed`
    holds True or False for each use that the statement names; other uses are unknown.
    """

    source: str
    text: str
    allowed: Mapping[Use, bool] = field(default_factory=dict)


NOTHING: Final[Mapping[Use, bool]] = {}
"""The preferences of a page without statements: every use is unknown."""


def combined(statements: Iterable[Mapping[Use, bool]]) -> dict[Use, bool]:
    """Return the preference for each use that a statement names. A single statement that disallows a use decides."""
    found: dict[Use, bool] = {}
    for allowed in statements:
        for use, is_allowed in allowed.items():
            found[use] = found.get(use, True) and is_allowed
    return found
