"""Guesses which number the user meant by a text that is not a number. Pure."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = "zero one two three four five six seven eight nine ten eleven twelve"
_BY_WORD: Final = {word: number for number, word in enumerate(_WORDS.split())} | {
    "twenty": 20,
    "fifty": 50,
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
}
_FACTORS: Final = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_NUMBER: Final = re.compile(r"([+-]?\d[\d,_ ]*(?:\.\d+)?(?:e[+]?\d{1,3})?)\s*([kmg]?)(?:$|[^\d.])", re.IGNORECASE)
_MISREAD: Final = str.maketrans("OolI", "0011")


def meant_number(text: str, *, is_whole: bool) -> str:
    """Return the number as it should be written; "" if there is no guess.

    With `is_whole`, the number must be whole.
    """
    written = text.strip()
    words = written.lower().split()
    if len(words) == 1 and words[0] in _BY_WORD:
        return str(_BY_WORD[words[0]])
    if re.fullmatch(r"[\dOolI]*\d[\dOolI]*", written):
        written = written.translate(_MISREAD)
    if re.fullmatch(r"\d+,\d{1,2}", written):
        written = written.replace(",", ".")
    found = _NUMBER.match(written)
    if found is None:
        return ""
    try:
        number = float(re.sub(r"[,_ ]", "", found[1])) * _FACTORS[found[2].lower()]
    except (ValueError, OverflowError):
        return ""
    if abs(number) >= 1e15:
        return ""
    if number == int(number):
        return str(int(number))
    return "" if is_whole else f"{number:g}"
