"""Queries drawn from documents by the document frequency of their words. Pure."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.recombination import words_of

RARE: Final = 0.0002
"""Words in no larger a share of the documents are rare ..."""
COMMON: Final = 0.1
"""... and in no smaller a share common."""
_LEAST_LETTERS: Final = 3

KINDS: Final = (
    "rare word",
    "common word",
    "two common words",
    "three words of a title",
    "phrase of two",
    "phrase of three",
)


@dataclass(frozen=True, slots=True)
class BenchmarkQuery:
    """A query of a kind."""

    kind: str
    words: tuple[str, ...]

    @property
    def is_phrase(self) -> bool:
        """Whether it is a phrase."""
        return self.kind.startswith("phrase")

    @property
    def text(self) -> str:
        """The query as typed into a search box."""
        return f'"{" ".join(self.words)}"' if self.is_phrase else " ".join(self.words)


def drawn(
    texts: Sequence[tuple[str, str]], frequencies: Counter[str], documents: int, each: int, seed: int
) -> list[BenchmarkQuery]:
    """`each` queries of each of KINDS, no two alike. texts: (title, body) to draw from.

    frequencies: in how many of `documents` documents each word is. Words have letters only, and three or more of them.
    """
    generator = random.Random(seed)
    found: dict[tuple[str, ...], str] = {}
    counts = Counter[str]()
    for _ in range(1000 * each):
        if all(counts[kind] >= each for kind in KINDS):
            break
        kind = generator.choice([kind for kind in KINDS if counts[kind] < each])
        words = _words(kind, *generator.choice(texts), frequencies, documents, generator)
        if words and words not in found:
            found[words] = kind
            counts[kind] += 1
    return [BenchmarkQuery(kind, words) for words, kind in found.items()]


def _words(
    kind: str, title: str, body: str, frequencies: Counter[str], documents: int, generator: random.Random
) -> tuple[str, ...]:
    """Words for a query, or none if the document has no such."""
    every = words_of(title if kind.endswith("title") else body)
    usable = [word for word in every if word.isalpha() and word.isascii() and len(word) >= _LEAST_LETTERS]
    if kind.startswith("phrase"):
        length = 3 if kind.endswith("three") else 2
        if len(every) < length:
            return ()
        start = generator.randrange(len(every) - length + 1)
        phrase = every[start : start + length]
        return tuple(phrase) if all(word in usable for word in phrase) else ()
    if kind == "rare word":
        usable = [word for word in usable if frequencies[word] <= max(RARE * documents, 1)]
    elif "common" in kind:
        usable = [word for word in usable if frequencies[word] >= COMMON * documents]
    distinct = sorted(set(usable))
    wanted = {"two common words": 2, "three words of a title": 3}.get(kind, 1)
    return tuple(generator.sample(distinct, wanted)) if len(distinct) >= wanted else ()
