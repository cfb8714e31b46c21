"""What a query that no page answers could have meant. Pure.

A word is looked at if no page has it in any form or, where each is known and only the words together are not, if it is
one of the rarest and one that many more pages have is an edit away. So are the parts of a name of code such as
`os.pathh`, unless pages have the name as it is written. What it could have been is found by its letters; which of
these was meant, by how easily one types the one for the other and by how many pages have it together with the other
words of the query (the noisy channel of Kernighan, Church & Gale, COLING 1990, with the pages that answer in place of a
model of language).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, log
from typing import Final, Protocol

from hinterland.search.answers import OtherQuery
from hinterland.search.query_language import OPERATORS
from hinterland.search.query_words import CONNECTIVES, left_out, parts_of
from hinterland.search.store.values.spellings import is_joined, spelling_of
from hinterland.search.typing_errors import typing_cost
from hinterland.search.vocabulary import LEAST_LETTERS, NearWord, folded

MOST_CORRECTIONS: Final = 3

_PIECE: Final = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")
_WORD_OPERATORS: Final = ("", "title", "url")
_LETTERS_FOR_TWO: Final = 6
"""Words with fewer letters are no two edits from what was meant: too many others are."""
_MOST_CANDIDATES: Final = 6
"""Of one word that are asked for together with the other words."""
_MOST_COMBINATIONS: Final = 4
_MOST_OF_KNOWN: Final = 2
"""Of replacements of words that pages have: each is a question to the index, and seldom what was meant."""
_MOST_SUSPECTS: Final = 3
"""Words that no page has or, if all are known, of those that fewest have."""
_MANY: Final = 1 << 31
_TIMES_AS_FREQUENT: Final = 20
"""As many pages, or more, have what a word that pages have could have been."""
_EDIT: Final = 5.0
"""So many times the logarithm of pages is a whole edit worth: one of 150 in e**5 words is mistyped."""

_TIMES_AS_OFTEN: Final = 10.0
"""So many times as often as the likeliest replacement is another one at most together with the other words of a query,
each in parts of the pages that have it."""


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A word of a query that may be misspelt, and where it is."""

    start: int
    text: str
    field: str
    name: str = ""
    """Of code, of which it is a part, as it is spelt."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class QueryCorrections:
    """What else a query could have been."""

    queries: tuple[OtherQuery, ...] = ()
    """That pages answer, the likeliest first."""
    unknown: tuple[str, ...] = ()
    """Its words that no page has in any form: if there are such, they are what was corrected."""


class WordLookup(Protocol):
    """What an index knows of words and queries."""

    def near(self, word: str, most_edits: int, least_documents: int = 0) -> Sequence[NearWord]: ...

    def pages_with(self, word: str, field: str) -> int:
        """About how many, in any form; 0 if there are none. field: only there, "" for all."""

    def has_name(self, spelling: str) -> bool:
        """Whether any page has a name of code so."""


def words_of(query: str) -> Iterator[QueryWord]:
    """Those of letters alone, parts of names of code included: no options, sites, nor what is not to be found."""
    parts = parts_of(query)
    unwanted = left_out(parts)
    for part in parts:
        operator, text, start = part.operator.lower(), part.text, part.start
        if operator not in (*OPERATORS, "", "http", "https") and not part.is_phrase:  # but the start of core::arch
            operator, text, start = "", f"{part.operator}:{text}", start - len(operator) - 1
        is_connective = part.is_word and part.text in CONNECTIVES
        if part.dashes or part.start in unwanted or operator not in _WORD_OPERATORS or is_connective:
            continue
        spelling = "" if part.is_phrase else spelling_of(text)
        name = spelling if is_joined(spelling) else ""
        for piece in _PIECE.finditer(text):
            if len(piece[0]) >= LEAST_LETTERS:
                yield QueryWord(start + piece.start(), piece[0], operator, name)


PagesAnswering = Callable[[Sequence[str]], Sequence[int]]
"""How many pages have all words of each of these queries. It takes most of the time: less if all are asked at once."""


def corrections(query: str, index: WordLookup, pages_answering: PagesAnswering) -> QueryCorrections:
    """MOST_CORRECTIONS at most. query: one that no page answers. pages_answering: asked for the likeliest query alone
    and first if a word is known to no page.
    """
    words = [word for word in words_of(query) if not (word.name and index.has_name(word.name))]
    pages = [index.pages_with(word.text, word.field) for word in words]
    unknown = [word for word, count in zip(words, pages, strict=True) if not count]
    names = tuple(word.text for word in unknown)
    if not words or len(unknown) > _MOST_SUSPECTS:
        return QueryCorrections(unknown=names)
    besides = _fewest_besides(query, index)
    if unknown:
        others = min((count for count in pages if count), default=_MANY)
        queries: tuple[OtherQuery, ...] = ()
        tried: list[list[tuple[_Replacement, ...]]] = []
        for most_edits in (1, 2):
            each = [
                _replacements(word, index, min(most_edits, _most_edits(word)), min(others, besides)) for word in unknown
            ]
            if each not in tried and (
                queries := _answered(query, list(product(*each)), 1, _MOST_COMBINATIONS, pages_answering)
            ):
                break
            tried.append(each)
        return QueryCorrections(queries, names)
    if len(parts_of(query)) == 1:
        return QueryCorrections()
    suspects = []
    for place in sorted(range(len(words)), key=pages.__getitem__)[:_MOST_SUSPECTS]:
        others = min([besides, *(count for other, count in enumerate(pages) if other != place)])
        frequent = _replacements(words[place], index, 1, others, _TIMES_AS_FREQUENT * pages[place])
        suspects += [(replacement,) for replacement in frequent]
    return QueryCorrections(_answered(query, suspects, _MOST_OF_KNOWN, _MOST_OF_KNOWN, pages_answering))


def _fewest_besides(query: str, index: WordLookup) -> int:
    """Pages with the rarest of what is no word of letters alone, such as a name of code: no more have all there is."""
    fewest = _MANY
    for part in parts_of(query):
        if part.is_word and part.text in CONNECTIVES:
            return _MANY
        is_apart = part.is_word and part.text.isprintable() and not _PIECE.search(part.text)
        if is_apart and (pages := index.pages_with(part.text, "")):
            fewest = min(fewest, pages)
    return fewest


@dataclass(frozen=True, slots=True)
class _Replacement:
    """A word that may have been meant where another is written."""

    word: QueryWord
    text: str
    cost: float
    documents: int
    """That have it."""
    pages: int
    """As many as may have it together with the other words."""

    @property
    def least(self) -> float:
        """What it costs in logarithms of documents, before anybody has looked at the other words."""
        return _EDIT * self.cost - log(self.documents)


def _replacements(
    word: QueryWord, index: WordLookup, edits: int, others: int, least_documents: int = 0
) -> tuple[_Replacement, ...]:
    """What a word could have been, the likeliest first. others: pages with the rarest of the other words.
    least_documents: that have it, if there are documents with the word itself.
    """
    written = folded(word.text)
    found = [
        _Replacement(
            word,
            each.word,
            typing_cost(folded(each.word), written, each.edits),
            each.documents,
            min(each.documents, others),
        )
        for each in index.near(word.text, edits, least_documents)
    ]
    return tuple(sorted(found, key=lambda each: each.least)[:_MOST_CANDIDATES])


def _answered(
    query: str, tried: Sequence[Sequence[_Replacement]], first: int, most: int, pages_answering: PagesAnswering
) -> tuple[OtherQuery, ...]:
    """The queries with the `most` likeliest of these replacements that pages answer, the likeliest first. The `first`
    likeliest are asked, then at once all others that could be likelier than the best of these: whatever pages there
    are or, if some of the first are answered, with _TIMES_AS_OFTEN as many as these let expect.
    """
    found: list[tuple[float, OtherQuery]] = []
    often = inf
    tried = sorted(tried, key=lambda chosen: sum(each.least for each in chosen))[:most]
    for some in (tried[:first], tried[first:]):
        best = min((rank for rank, _ in found), default=inf)
        likelier = [chosen for chosen in some if _cost(chosen) - log(_most_pages(chosen, often)) < best]
        texts = [_replaced(query, {each.word: each.text for each in chosen}) for chosen in likelier]
        counts = pages_answering(texts) if texts else ()
        for chosen, text, answering in zip(likelier, texts, counts, strict=True):
            if answering:
                often = _TIMES_AS_OFTEN * answering / min(each.documents for each in chosen)
                found.append((_cost(chosen) - log(answering), OtherQuery(text, answering)))
    found.sort(key=lambda each: each[0])
    return tuple(other for _, other in found[:MOST_CORRECTIONS])


def _most_pages(chosen: Sequence[_Replacement], often: float) -> float:
    """That may have all words. often: in parts of the pages with the rarest of those that were chosen."""
    return min(often * min(each.documents for each in chosen), *(each.pages for each in chosen))


def _cost(chosen: Sequence[_Replacement]) -> float:
    """In logarithms of pages."""
    return _EDIT * sum(each.cost for each in chosen)


def _most_edits(word: QueryWord) -> int:
    return 2 if len(word.text) >= _LETTERS_FOR_TWO else 1


def _replaced(query: str, replacements: Mapping[QueryWord, str]) -> str:
    for word in sorted(replacements, key=lambda word: -word.start):
        query = query[: word.start] + replacements[word] + query[word.end :]
    return query
