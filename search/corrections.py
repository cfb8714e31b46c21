"""Spelling correction of queries that no page answers. Pure.

A word is suspect if no page has it in any form. If each word is on some page, the rarest words are suspect if one edit
turns them into a word that many more pages have. The parts of an identifier such as `os.pathh` are suspect, too, unless
pages have the identifier as written.

Candidates are found by their letters. They are ranked by the likelihood of the typing error, and by the number of pages
that have the candidate together with the other words of the query. This is the noisy channel of Kernighan, Church &
Gale (COLING 1990), with the number of matching pages in place of a language model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, log
from typing import Final, Protocol

from hinterland.search.answers import OtherQuery
from hinterland.search.near_names import in_the_capitals_of
from hinterland.search.query_language import OPERATORS
from hinterland.search.query_words import CONNECTIVES, left_out, parts_of
from hinterland.search.store.values.spellings import is_joined, spelling_of
from hinterland.search.typing_errors import typing_cost
from hinterland.search.vocabulary import LEAST_LETTERS, NearWord, folded

MOST_CORRECTIONS: Final = 3
"""Maximum number of corrections returned."""

_PIECE: Final = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")
_WORD_OPERATORS: Final = ("", "title", "url")
_LETTERS_FOR_TWO: Final = 6
"""Words with fewer letters are corrected by one edit only: too many words lie within two edits."""
_MOST_CANDIDATES: Final = 6
"""Maximum number of candidates for one word that are tried together with the other words."""
_MOST_COMBINATIONS: Final = 4
_MOST_OF_KNOWN: Final = 2
"""Maximum number of replacements that are tried for known words: each costs an index query, and is seldom right.
"""
_MOST_SUSPECTS: Final = 3
"""Maximum number of suspect words: unknown words or, if all words are known, the rarest."""
_MANY: Final = 1 << 31
_TIMES_AS_FREQUENT: Final = 20
"""A replacement of a known word must occur on at least this many times as many pages."""
_EDIT: Final = 5.0
"""The cost of one edit, in natural logarithms of page counts: about one word in e**5 = 150 is mistyped."""

_TIMES_AS_OFTEN: Final = 10.0
"""The share of a replacement's pages that also have the other words of the query is assumed to be at most this many
times that share of the likeliest replacement.
"""


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A word of a query that may be misspelt, and its position."""

    start: int
    text: str
    field: str
    name: str = ""
    """The spelling of the identifier that the word is, or is a part of; "" if there is none."""
    is_whole_name: bool = False

    @property
    def end(self) -> int:
        """The position just behind the word."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class QueryCorrections:
    """The result of correcting a query."""

    queries: tuple[OtherQuery, ...] = ()
    """Corrected queries that pages answer, the likeliest first."""
    unknown: tuple[str, ...] = ()
    """Words of the query that no page has in any form. If there are any, only these were corrected."""
    likeliest: str = ""
    """The query with the likeliest replacements of unknown words, if no page answers any corrected query."""


class WordLookup(Protocol):
    """Answers the questions of spelling correction about the words and identifiers of an index."""

    def near(self, word: str, most_edits: int, least_documents: int = 0) -> Sequence[NearWord]:
        """Return the words within `most_edits` edits of `word` that at least `least_documents` documents have."""

    def pages_with(self, word: str, field: str) -> int:
        """Return roughly how many pages have the word in any form; 0 if no page has it.

        `field` restricts the search to one field; "" stands for all.
        """

    def has_name(self, spelling: str) -> bool:
        """Return whether any page has an identifier with this spelling."""

    def near_names(self, spelling: str) -> Sequence[NearWord]:
        """Return the identifiers close to a spelling that no page has, the likeliest first."""


def words_of(query: str) -> Iterator[QueryWord]:
    """Yield the correctable words of a query, including the parts of identifiers.

    Words consist of letters only. Options, sites and excluded words are left out.
    """
    parts = parts_of(query)
    unwanted = left_out(parts)
    for part in parts:
        operator, text, start = part.operator.lower(), part.text, part.start
        if (
            operator not in (*OPERATORS, "", "http", "https") and not part.is_phrase
        ):  # not an operator, as in core::arch
            operator, text, start = "", f"{part.operator}:{text}", start - len(operator) - 1
        is_connective = part.is_word and part.text in CONNECTIVES
        is_beginning = text.endswith("*")
        if part.dashes or part.start in unwanted or operator not in _WORD_OPERATORS or is_connective or is_beginning:
            continue
        spelling = "" if part.is_phrase else spelling_of(text)
        name = spelling if is_joined(spelling) else ""
        for piece in _PIECE.finditer(text):
            if len(piece[0]) >= LEAST_LETTERS:
                yield QueryWord(start + piece.start(), piece[0], operator, name)


PagesAnswering = Callable[[Sequence[str]], Sequence[int]]
"""Returns how many pages have all words of each query. This is the slowest step, and faster if all queries are passed
in one call.
"""


def corrections(query: str, index: WordLookup, pages_answering: PagesAnswering) -> QueryCorrections:
    """Return up to MOST_CORRECTIONS corrections of a query that no page answers.

    `pages_answering` returns the number of pages that answer each of some queries. If a word is unknown, it is first
    called with the likeliest correction alone.
    """
    whole = [name for name in names_of(query) if not index.has_name(name.name)]
    near = {name: found for name in whole if (found := index.near_names(name.name))}
    done = {name.name for name in near}
    parts = [word for word in words_of(query) if not word.name or not (word.name in done or index.has_name(word.name))]
    words = [*near, *parts]
    pages = [0 if word.is_whole_name else index.pages_with(word.text, word.field) for word in words]
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
                _named(word, near[word])
                if word.is_whole_name
                else _replacements(word, index, min(most_edits, _most_edits(word)), min(others, besides))
                for word in unknown
            ]
            if each not in tried and (
                queries := _answered(query, list(product(*each)), 1, _MOST_COMBINATIONS, pages_answering)
            ):
                break
            tried.append(each)
        return QueryCorrections(queries, names, "" if queries else _likeliest(query, tried))
    if len(parts_of(query)) == 1:
        return QueryCorrections()
    suspects = []
    for place in sorted(range(len(words)), key=pages.__getitem__)[:_MOST_SUSPECTS]:
        others = min([besides, *(count for other, count in enumerate(pages) if other != place)])
        frequent = _replacements(words[place], index, 1, others, _TIMES_AS_FREQUENT * pages[place])
        suspects += [(replacement,) for replacement in frequent]
    return QueryCorrections(_answered(query, suspects, _MOST_OF_KNOWN, _MOST_OF_KNOWN, pages_answering))


def names_of(query: str) -> Iterator[QueryWord]:
    """Yield the identifiers of a query that may be misspelt; options, phrases and excluded words are left out."""
    parts = parts_of(query)
    unwanted = left_out(parts)
    for part in parts:
        spelling = spelling_of(part.text) if part.is_word and part.start not in unwanted else ""
        if is_joined(spelling) and not spelling.startswith("-"):
            yield QueryWord(part.start, part.text, "", spelling, is_whole_name=True)


def _named(word: QueryWord, near: Sequence[NearWord]) -> tuple[_Replacement, ...]:
    """Return the replacements for a misspelt identifier as a whole.

    Their cost does not depend on the other words of the query.
    """
    return tuple(
        _Replacement(word, in_the_capitals_of(each.word, word.text), each.edits, each.documents, each.documents)
        for each in near[:_MOST_CANDIDATES]
    )


def _likeliest(query: str, tried: Sequence[Sequence[Sequence[_Replacement]]]) -> str:
    """Return the query with its unknown words replaced by their likeliest replacements; "" if there are none."""
    chosen = dict[QueryWord, str]()
    for each in tried:
        for replacements in each:
            if replacements and replacements[0].word not in chosen:
                chosen[replacements[0].word] = replacements[0].text
    return _replaced(query, chosen) if chosen else ""


def _fewest_besides(query: str, index: WordLookup) -> int:
    """Return an upper bound on the number of pages that have all words that are not corrected.

    These are words with characters other than letters, such as identifiers. The bound is the number of pages that have
    the rarest of these words.
    """
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
    """A word that the user may have meant, in place of a word of the query."""

    word: QueryWord
    text: str
    cost: float
    documents: int
    """Number of documents that have it."""
    pages: int
    """Upper bound on the number of pages that have it together with the other words."""

    @property
    def least(self) -> float:
        """A lower bound on the cost of the replacement, in natural logarithms of document counts.

        It ignores the other words of the query.
        """
        return _EDIT * self.cost - log(self.documents)


def _replacements(
    word: QueryWord, index: WordLookup, edits: int, others: int, least_documents: int = 0
) -> tuple[_Replacement, ...]:
    """Return the likeliest replacements of a word, best first.

    `others` is the number of pages that have the rarest other word. A replacement must occur in at least
    `least_documents` documents; callers set this for words that pages do have.
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
    """Return the corrected queries that pages answer, the likeliest first.

    Only the `most` best candidates count. The `first` likeliest candidates are counted in one call of
    `pages_answering`. A second call counts the other candidates that may still be likelier than the best answered one.
    Upper bounds of their page counts decide whether they may be. If pages answer one of the first candidates, the bound
    is _TIMES_AS_OFTEN times the share of pages found for it.
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
    """Return an upper bound on the number of pages that have all words of a candidate.

    `often` bounds the share of the pages with the rarest replacement that also have the other words.
    """
    return min(often * min(each.documents for each in chosen), *(each.pages for each in chosen))


def _cost(chosen: Sequence[_Replacement]) -> float:
    """Return the typing cost of a candidate, in natural logarithms of page counts."""
    return _EDIT * sum(each.cost for each in chosen)


def _most_edits(word: QueryWord) -> int:
    return 2 if len(word.text) >= _LETTERS_FOR_TWO else 1


def _replaced(query: str, replacements: Mapping[QueryWord, str]) -> str:
    for word in sorted(replacements, key=lambda word: -word.start):
        query = query[: word.start] + replacements[word] + query[word.end :]
    return query
