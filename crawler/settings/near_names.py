"""Suggestions for a mistyped name of a setting, a policy or an estimator. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable


def likeness(given: str, known: str) -> float:
    """Return how alike two names are, from 0 to 1. The case of `given` does not matter; `known` is in lower case."""
    return difflib.SequenceMatcher(None, given.lower(), known).ratio()


def nearest(given: str, known: Iterable[str]) -> str:
    """Return the known name most like the given one; `known` is in lower case and not empty."""
    return max(known, key=lambda name: likeness(given, name))


def with_nearest(complaint: str, given: str, known: Collection[str]) -> str:
    """Return a complaint about a name, followed by the nearest known name and the list of all known names."""
    return f'{complaint}; the nearest is "{nearest(given, known)}". All of them: {", ".join(known)}'
