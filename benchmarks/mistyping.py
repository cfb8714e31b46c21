"""Typing errors as people make them, for queries that are to be corrected. Pure."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Final

from hinterland.search.typing_errors import are_next_keys

KINDS: Final = ("left out", "added", "next key", "exchanged")

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_WORD: Final = re.compile(r"(?<![\w.])[A-Za-z]{4,}(?![\w.])")


def mistyped(text: str, kind: str, generator: random.Random) -> str | None:
    """The text with one error of the kind in one of its words of four letters or more; None if it has no such word."""
    words = list(_WORD.finditer(text))
    if not words:
        return None
    word = generator.choice(words)
    for _ in range(20):
        wrong = _wrong(word[0].lower(), kind, generator)
        if wrong != word[0].lower():
            return f"{text[: word.start()]}{wrong}{text[word.end() :]}"
    return None


def _wrong(word: str, kind: str, generator: random.Random) -> str:
    place = generator.randrange(len(word))
    match kind:
        case "left out":
            return word[:place] + word[place + 1 :]
        case "added":
            return word[:place] + generator.choice([*_next_to(word[place]), word[place]]) + word[place:]
        case "next key":
            return word[:place] + generator.choice(_next_to(word[place])) + word[place + 1 :]
        case _:
            place = generator.randrange(len(word) - 1)
            return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def _next_to(key: str) -> Sequence[str]:
    return [letter for letter in _LETTERS if letter != key and are_next_keys(letter, key)]
