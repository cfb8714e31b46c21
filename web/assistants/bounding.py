"""Keeps lists short enough for a model to read. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final, TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)

MOST_CHARACTERS: Final = 30_000
"""Maximum length of the items of an answer, as JSON."""


def fitting(items: Sequence[T]) -> Sequence[T]:
    """Return the first items that together are short enough for a model to read; at least one."""
    lengths = accumulate(len(msgspec.json.encode(item)) for item in items)
    return items[: max(1, sum(length <= MOST_CHARACTERS for length in lengths))]
