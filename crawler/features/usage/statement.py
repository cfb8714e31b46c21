"""A statement about the use of a page. Pure.

The model is that of the IETF's draft "A Vocabulary For Expressing AI Usage Preferences" (draft-ietf-aipref-vocab): a
statement allows or disallows some categories of use and says nothing about the others; if two statements disagree, the
more restrictive one applies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from hinterland.storage.values.uses import Use


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
