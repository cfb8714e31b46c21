"""Finds the identifiers that a misspelt identifier may stand for: `SDL_CreateTexture` for `SDL_CreateTextre`. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final

from hinterland.search.vocabulary import NearWord

_LEAST_CHARACTERS: Final = 5
"""Shorter names are not corrected, because too many other names are similar."""
_SURE: Final = 12
"""Names of at least this length may have two errors."""


def near_names(name: str, beginning: Callable[[str], Iterable[tuple[str, int]]]) -> Sequence[NearWord]:
    """Return the other names within one or two edits of `name`, names with the fewest edits first.

    `beginning` returns the names that begin with some letters, each with the number of documents that have it. The
    names that begin with the first half of `name` are compared. If none of them is close enough, the names that begin
    with its first two letters are compared.
    """
    if len(name) < _LEAST_CHARACTERS:
        return ()
    most = 2 if len(name) >= _SURE else 1
    letters = Counter(name)
    for start in dict.fromkeys((name[: len(name) // 2], name[:2])):
        found = dict[str, NearWord]()
        for other, documents in beginning(start):
            is_alike = abs(len(other) - len(name)) <= most and _distance_at_least(letters, other) <= most
            if is_alike and other != name and (edits := edits_between(name, other)) <= most:
                known = found.get(other)
                found[other] = NearWord(other, edits, max(documents, known.documents if known else 0))
        if found:
            return sorted(found.values(), key=lambda near: (near.edits, -near.documents, near.word))
    return ()


def edits_between(first: str, second: str) -> int:
    """Return how many insertions, deletions, substitutions and swaps of adjacent characters turn one word into another.

    This is the optimal string alignment distance.
    """
    before, last = list[int](), list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        costs = [row]
        for column, other in enumerate(second, 1):
            cost = min(last[column] + 1, costs[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            costs.append(cost)
        before, last = last, costs
    return last[-1]


def in_the_capitals_of(meant: str, written: str) -> str:
    """Return `meant`, a lower-case name, with the capitals of the misspelt name `written` where the two agree."""
    letters = list(meant)
    for block in SequenceMatcher(None, meant, written.lower(), autojunk=False).get_matching_blocks():
        letters[block.a : block.a + block.size] = written[block.b : block.b + block.size]
    return "".join(letters)


def _distance_at_least(letters: Counter[str], other: str) -> int:
    others = Counter(other)
    return max((letters - others).total(), (others - letters).total())
