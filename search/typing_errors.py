"""The likelihood that one word was typed in place of another. Pure.

Most typing errors are an extra letter, a missing letter, a wrong letter or two swapped letters (Damerau, CACM 1964). A
wrong letter is mostly on a neighbouring key, double letters are often written as single letters or vice versa, and the
first letter is seldom wrong.
"""

from __future__ import annotations

from typing import Final

_ROWS: Final = (("qwertyuiop", 0.0), ("asdfghjkl", 0.3), ("zxcvbnm", 0.8))
_KEYS: Final = {
    key: (row, column + shift) for row, (keys, shift) in enumerate(_ROWS) for column, key in enumerate(keys)
}
_NEXT: Final = 1.5

_SWAPPED: Final = 0.7
_DOUBLED: Final = 0.6
_NEXT_KEY: Final = 0.8
_ADDED_OR_LEFT_OUT: Final = 1.0
_OTHER: Final = 1.4
_AT_FIRST: Final = 0.3


def typing_cost(meant: str, written: str, edits: int) -> float:
    """Return the cost of typing `written` for `meant`: about 1 per edit, less for common errors.

    The words are `edits` edits apart, in lower case and without accents.
    """
    start = 0
    while start < min(len(meant), len(written)) and meant[start] == written[start]:
        start += 1
    end = 0
    while end < min(len(meant), len(written)) - start and meant[-1 - end] == written[-1 - end]:
        end += 1
    left, typed = meant[start : len(meant) - end], written[start : len(written) - end]
    cost = _cost_of(left, typed, written[start - 1 : start], edits)
    return cost + (0.0 if start else _AT_FIRST)


def _cost_of(left: str, typed: str, before: str, edits: int) -> float:
    """Return the cost of typing `typed` for `left`, the pieces in which two words differ.

    The words are `edits` edits apart, and `before` is the letter before the pieces.
    """
    if edits > 1:
        return edits * _ADDED_OR_LEFT_OUT + 0.5
    if len(left) == len(typed) == 2:
        return _SWAPPED
    if not left or not typed:  # the common prefix is as long as possible, so it ends with a doubled letter
        return _DOUBLED if left + typed == before else _ADDED_OR_LEFT_OUT
    return _NEXT_KEY if are_next_keys(left, typed) else _OTHER


def are_next_keys(first: str, second: str) -> bool:
    """Return whether the keys of two letters touch on a QWERTY keyboard."""
    if first not in _KEYS or second not in _KEYS:
        return False
    (row, column), (other_row, other_column) = _KEYS[first], _KEYS[second]
    return abs(row - other_row) <= 1 and abs(column - other_column) < _NEXT
