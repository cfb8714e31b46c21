"""Sentences that no two pages share, in English and German. Pure."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

_SYLLABLES: Final = ("ba", "cor", "de", "fin", "gal", "hu", "lin", "mar", "nor", "pel", "ro", "sta", "tu", "ver", "wi")

_ENGLISH: Final = (
    "When the {} was built, nobody in the {} had seen a {} that could be moved by one person.",
    "It is said that the {} and the {} were once the same, but there is no proof of that.",
    "You can see the {} from the {} if you walk down to the {} in the morning.",
    "They have kept the {} in a {} since the year of the great {}, and it has never been sold.",
    "Most of the {} that we know today come from the {}, which is not far from the {}.",
    "She wrote to her brother that the {} would not be ready before the {} had left the {}.",
)
_GERMAN: Final = (
    "Als der {} gebaut wurde, hatte noch niemand in der {} einen {} gesehen, den man allein bewegen konnte.",
    "Man sagt, dass der {} und die {} einmal dasselbe waren, aber das hat noch niemand bewiesen.",
    "Von der {} aus sieht man den {}, wenn man am Morgen zu dem {} hinunter geht.",
    "Seit dem Jahr der großen {} wird der {} in einem {} aufbewahrt, und er ist nie verkauft worden.",
    "Die meisten {}, die wir heute kennen, kommen aus dem {}, der nicht weit von der {} liegt.",
    "Sie schrieb ihrem Bruder, dass der {} nicht fertig wird, bevor die {} das {} verlassen hat.",
)


def word(dice: random.Random) -> str:
    """Return an invented noun."""
    return "".join(dice.choice(_SYLLABLES) for _ in range(3))


def english(dice: random.Random, sentences: int) -> str:
    """Return an English text about invented things."""
    return _text(dice, sentences, _ENGLISH, str.lower)


def german(dice: random.Random, sentences: int) -> str:
    """Return a German text about invented things."""
    return _text(dice, sentences, _GERMAN, str.capitalize)


def _text(dice: random.Random, sentences: int, patterns: tuple[str, ...], spelt: Callable[[str], str]) -> str:
    return " ".join(dice.choice(patterns).format(*(spelt(word(dice)) for _ in range(3))) for _ in range(sentences))
