"""What was probably meant by a name that does not exist: of a setting, a policy, an estimator. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable


def likeness(given: str, known: str) -> float:
    """From 0 to 1, whatever letters are capital."""
    return difflib.SequenceMatcher(None, given.lower(), known).ratio()


def nearest(given: str, known: Iterable[str]) -> str:
    """The known name that is most like the one given; there must be one. known: in small letters."""
    return max(known, key=lambda name: likeness(given, name))


def with_nearest(complaint: str, given: str, known: Collection[str]) -> str:
    """A complaint about a name, with what was probably meant and all that there is."""
    return f'{complaint}; the nearest is "{nearest(given, known)}". All of them: {", ".join(known)}'
