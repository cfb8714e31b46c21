"""What a query that no page answers could have meant. Pure.

A word is looked at if no page has it in any form or, where each is known and only the words together are not, if it is
the rarest and one that many more pages have is an edit away. What it could have been is found by its letters; which of
these was meant, by how easily one types the one for the other and by how many pages have it together with the other
words of the query (the noisy channel of Kernighan, Church & Gale, COLING 1990, with the pages that answer in place of a
model of language).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import log
from typing import Final, Protocol

from crawler.apps.search.answers import OtherQuery
from crawler.apps.search.query_words import CONNECTIVES, parts_of
from crawler.apps.search.typing_errors import typing_cost
from crawler.apps.search.vocabulary import LEAST_LETTERS, NearWord, folded
from storage.search_index.values.spellings import is_joined, spelling_of

MOST_CORRECTIONS: Final = 3

_PIECE: Final = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")
_WORD_OPERATORS: Final = ("", "title", "url")
_LETTERS_FOR_TWO: Final = 6
"""Words with fewer letters are no two edits from what was meant: too many others are."""
_MOST_CANDIDATES: Final = 6
"""Of one word that are asked for together with the other words."""
_MOST_COMBINATIONS: Final = 6
_MOST_SUSPECTS: Final = 3
_MANY: Final = 1 << 31
_TIMES_AS_FREQUENT: Final = 20
"""As many pages, or more, have what a word that pages have could have been."""
_EDIT: Final = 5.0
"""So many times the logarithm of pages is a whole edit worth: one of 150 in e**5 words is mistyped."""


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A word of a query that may be misspelt, and where it is."""

    start: int
    text: str
    field: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Corrections:
    """What else a query could have been."""

    queries: tuple[OtherQuery, ...] = ()
    """That pages answer, the likeliest first."""
    unknown: tuple[str, ...] = ()
    """Its words that no page has in any form: if there are such, they are what was corrected."""


class Words(Protocol):
    """What an index knows of words and queries."""

    def near(self, word: str, most_edits: int) -> Sequence[NearWord]: ...

    def pages_with(self, word: str, field: str) -> int:
        """About how many, in any form; 0 if there are none. field: only there, "" for all."""


def words_of(query: str) -> Iterator[QueryWord]:
    """Those that are words of a language: no names of code, options, sites, nor what is not to be found."""
    for part in parts_of(query):
        operator = part.operator.lower()
        if part.dashes or operator not in _WORD_OPERATORS or (part.is_word and part.text in CONNECTIVES):
            continue
        if not part.is_phrase and is_joined(spelling_of(part.text)):
            continue
        for piece in _PIECE.finditer(part.text):
            if len(piece[0]) >= LEAST_LETTERS:
                yield QueryWord(part.start + piece.start(), piece[0], operator)


def corrections(query: str, index: Words, pages_answering: Callable[[str], int]) -> Corrections:
    """MOST_CORRECTIONS at most. query: one that no page answers. pages_answering: those with all words of a query; it
    is asked as seldom as can be, for it takes most of the time."""
    words = list(words_of(query))
    pages = [index.pages_with(word.text, word.field) for word in words]
    unknown = [word for word, count in zip(words, pages, strict=True) if not count]
    names = tuple(word.text for word in unknown)
    if not words or len(unknown) > _MOST_SUSPECTS:
        return Corrections(unknown=names)
    others = min((count for count in pages if count), default=_MANY)
    if unknown:
        few_edits = [_candidates(word, index, 1, others) for word in unknown]
        queries = _answered(query, unknown, few_edits, pages_answering)
        if not queries:
            more_edits = [_candidates(word, index, 2 if _is_long(word) else 1, others) for word in unknown]
            queries = _answered(query, unknown, more_edits, pages_answering) if more_edits != few_edits else ()
        return Corrections(queries, names)
    if len(words) == 1:
        return Corrections()
    rarest = words[pages.index(min(pages))]
    others = min((count for word, count in zip(words, pages, strict=True) if word is not rarest), default=_MANY)
    frequent = _candidates(rarest, index, 1, others, _TIMES_AS_FREQUENT * min(pages))
    return Corrections(_answered(query, [rarest], [frequent], pages_answering))


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    cost: float
    pages: int
    """As many as may have it together with the other words."""

    @property
    def least(self) -> float:
        """What it costs in logarithms of pages, at best."""
        return _EDIT * self.cost - log(self.pages)


def _candidates(
    word: QueryWord, index: Words, edits: int, others: int, least_documents: int = 0
) -> tuple[_Candidate, ...]:
    """What a word could have been, the likeliest first. others: pages with the rarest of the other words.
    least_documents: that have it, if there are documents with the word itself."""
    written = folded(word.text)
    found = [
        _Candidate(each.word, typing_cost(folded(each.word), written, each.edits), min(each.documents, others))
        for each in index.near(word.text, edits)
        if each.documents >= least_documents
    ]
    return tuple(sorted(found, key=lambda each: each.least)[:_MOST_CANDIDATES])


def _answered(
    query: str,
    words: Sequence[QueryWord],
    candidates: Sequence[Sequence[_Candidate]],
    pages_answering: Callable[[str], int],
) -> tuple[OtherQuery, ...]:
    """The queries with a candidate for each of the words that pages answer, the likeliest first. None is asked that
    cannot be likelier than the best so far, whatever pages there are."""
    combinations = sorted(product(*candidates), key=lambda chosen: sum(each.least for each in chosen))
    found: list[tuple[float, OtherQuery]] = []
    for chosen in combinations[:_MOST_COMBINATIONS]:
        cost = _EDIT * sum(each.cost for each in chosen)
        if found and cost - log(min(each.pages for each in chosen)) >= min(rank for rank, _ in found):
            continue
        text = _replaced(query, [(word, each.text) for word, each in zip(words, chosen, strict=True)])
        if answering := pages_answering(text):
            found.append((cost - log(answering), OtherQuery(text, answering)))
    found.sort(key=lambda each: each[0])
    return tuple(other for _, other in found[:MOST_CORRECTIONS])


def _is_long(word: QueryWord) -> bool:
    return len(word.text) >= _LETTERS_FOR_TWO


def _replaced(query: str, replacements: Sequence[tuple[QueryWord, str]]) -> str:
    for word, text in sorted(replacements, key=lambda each: -each[0].start):
        query = query[: word.start] + text + query[word.end :]
    return query
