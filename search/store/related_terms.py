"""Finds terms of an index that match a word of a query, too: its compounds, its parts, and nouns with particles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cache, lru_cache, partial
from string import punctuation
from typing import Final, NamedTuple, Protocol

from hinterland.search.store.fields import UNSTEMMED, IndexFields
from hinterland.search.store.function_words import FunctionWords
from hinterland.search.store.values.term_query import WORDS, QueryTerm
from hinterland.search.word_forms.compounds import MOST_TERMS, Compounds, compounds_in
from hinterland.search.word_forms.particles import is_korean, may_have_particles, nouns_of
from hinterland.search.word_forms.splitting import COMPOUNDING, LEAST_COMPOUND, LEAST_PART, Splitter

_OF_COMPOUND: Final = 0.5
"""The score of a compound for one of its parts, as a share of the part's own score."""
_OF_PARTS: Final = 0.5
"""The score of the two parts of a compound near each other, as a share of the compound's own score."""
_OF_PARTS_APART: Final = 0.2
"""The same for parts that are on the same page, if no page has the compound."""
_PAIR: Final = 2
_REMEMBERED: Final = 1 << 10
_LEAST_OTHER: Final = 3
"""Letters of a word of another script, such as `API`, that is looked for with Korean particles."""


CompoundsByLanguage = Callable[[], Mapping[str, Compounds]]


class MatchKind(Enum):
    """How related terms match a document, and how the match is scored."""

    FORM = auto()
    """The only term is there: a factor on its BM25 score."""
    ANY = auto()
    """Any of the terms is there: a score of its own."""
    NEAR = auto()
    """Both terms stand near each other: a factor on their BM25 score."""
    ALL = auto()
    """All terms are there: a factor on their BM25 score."""


class Related(NamedTuple):
    """Terms that match a word of a query in one field, its own term included."""

    kind: MatchKind
    terms: tuple[str, ...]
    score: float
    """The score or the factor on it, see `MatchKind`."""


class FieldTerms(Protocol):
    """What is known about the terms of an index."""

    def having(self, field: str, term: str, /) -> int:
        """Return the number of documents with a term of a field."""

    def weight(self, field: str, terms: Sequence[str], /) -> float:
        """Return the sum of the inverse frequencies of terms of a field."""

    def beginning(self, field: str, letters: str, /) -> Sequence[str]:
        """Return the terms of a field that begin with some letters, the most frequent first."""


class RelatedTerms:
    """The related terms of the words of queries. Found terms are remembered until `forget`."""

    def __init__(self, fields: IndexFields, terms: FieldTerms, compounds: CompoundsByLanguage) -> None:
        """Start with an index; `compounds` returns its compounds by language."""
        self._fields = fields
        self._terms = terms
        self._compounds = compounds
        self._remembered = lru_cache(_REMEMBERED)(self._found)
        self._parts_of = lru_cache(_REMEMBERED)(self._parts)
        self._languages = cache(self._found_languages)

    def forget(self) -> None:
        """Forget all found terms, because the index has changed."""
        for remembered in (self._remembered, self._parts_of, self._languages):
            remembered.cache_clear()

    def of(self, words: QueryTerm, name: str, term: str) -> Sequence[Related]:
        """Return what matches a word of a query in a field, its own term included; nothing if only this term does.

        `term` is the word's own term in the field `name`. Phrases, names and excluded words have no related terms.
        """
        if words.is_phrase or words.is_prefix or words.is_literal or not self.are_in(name):
            return ()
        return self._remembered(words.text, name, term)

    def are_in(self, name: str) -> bool:
        """Return whether words may have related terms in the field `name`."""
        return name.rpartition("_")[2] in self._languages()

    def joined(self, words: QueryTerm, name: str) -> str:
        """Return the term of a compound that a query writes with hyphens; "" if the field has no such term."""
        language = name.rpartition("_")[2]
        text = words.text.strip(punctuation)
        is_alone = words.is_phrase or words.is_literal or language not in self._languages() or language == UNSTEMMED
        if is_alone or "-" not in text or not text.replace("-", "").isalpha():
            return ""
        term = _stemmed(self._fields, text.replace("-", ""), language)
        return term if self._terms.having(name, term) else ""

    def noun_of(self, words: QueryTerm, term: str) -> str:
        """Return the noun in a Korean word of a query, or the term itself if it has no particle."""
        found = self.of(words, f"{WORDS}_{UNSTEMMED}", term) if term and is_korean(term[-1]) else ()
        return min((each.terms[0] for each in found), key=len, default=term)

    def find_compounds(self, terms_of: Callable[[str, int], Mapping[str, int]]) -> dict[str, dict[str, list[str]]]:
        """Return the compounds of all documents by language and by part, see `compounds_in`.

        `terms_of` returns the most frequent terms of a field, each with its number of documents.
        """
        found = {}
        for language in self._fields.languages:
            if language in COMPOUNDING:
                terms = terms_of(self._fields.name(WORDS, language), MOST_TERMS)
                splitter = splitter_of(language, self._fields, partial(_count, terms))
                found[language] = compounds_in(terms, splitter)
        return found

    def _found(self, text: str, name: str, term: str) -> Sequence[Related]:
        language = name.rpartition("_")[2]
        word = text.strip(punctuation)
        if language == UNSTEMMED:
            return self._with_particles(name, term) if is_korean(term[-1]) or len(term) >= _LEAST_OTHER else ()
        if _is_common_word(word):
            found = tuple(self._by_parts(word.lower(), name, term, language))
            return () if len(found) == 1 and found[0].kind == MatchKind.FORM else found
        return ()

    def _found_languages(self) -> frozenset[str]:
        """Return the languages in which words have related terms; UNSTEMMED stands for Korean."""
        has_korean = self._terms.having("language", "ko") > 0
        return frozenset(self._fields.languages).intersection(COMPOUNDING) | ({UNSTEMMED} if has_korean else set())

    # ------------------------------------------------------------ compounds

    def _by_parts(self, word: str, name: str, term: str, language: str) -> Iterator[Related]:
        """Yield a word itself, the compounds that contain it, and the parts of the word."""
        weight, having = self._terms.weight, self._terms.having
        own = weight(name, [term]) if having(name, term) else 0.0
        if own:
            yield Related(MatchKind.FORM, (term,), 1.0)
        compounds, parts = self._parts_of(word, term, language)
        if compounds:
            yield Related(MatchKind.ANY, compounds, _OF_COMPOUND * (own or weight(name, compounds[:1])))
        if not parts or not all(having(name, each) for each in parts):
            return
        share = own / weight(name, parts) if own else 1.0
        if len(parts) == _PAIR:
            yield Related(MatchKind.NEAR, parts, _OF_PARTS * share)
            yield Related(MatchKind.NEAR, parts[::-1], _OF_PARTS * share)
        if not own:
            yield Related(MatchKind.ALL, parts, _OF_PARTS_APART)

    def _parts(self, word: str, term: str, language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the compounds with a word, and the parts of the word."""
        known = self._compounds().get(language)
        compounds = tuple(each for each in known.with_part(term) if each != term) if known is not None else ()
        if len(word) < LEAST_COMPOUND:
            return compounds, ()
        splitter = splitter_of(language, self._fields, partial(self._terms.having, f"{WORDS}_{language}"))
        return compounds, splitter.parts(word, term)

    # ------------------------------------------------------------ Korean

    def _with_particles(self, name: str, term: str) -> Sequence[Related]:
        forms = self._forms(name, term)
        own = self._documents(name, forms)
        for noun in nouns_of(term):
            others = [form for form in self._forms(name, noun) if form not in forms]
            if self._documents(name, others) > own:
                forms = [*others, *forms]
                break
        if not forms or forms == [term]:
            return ()
        usual = min(self._terms.weight(name, [form]) for form in forms)
        return [Related(MatchKind.FORM, (form,), usual / self._terms.weight(name, [form])) for form in forms]

    def _forms(self, name: str, noun: str) -> list[str]:
        """Return the terms that consist of a noun, alone or with particles."""
        is_known = self._terms.having(f"{WORDS}_{UNSTEMMED}", noun) > 0
        return [
            each
            for each in self._terms.beginning(name, noun)
            if each == noun or may_have_particles(noun, each[len(noun) :], is_known=is_known)
        ]

    def _documents(self, name: str, forms: Sequence[str]) -> int:
        return sum(self._terms.having(name, form) for form in forms)


def splitter_of(language: str, fields: IndexFields, documents: Callable[[str], int]) -> Splitter:
    """Return the splitter of a language; `documents` returns the number of documents with a term."""
    function_words = _function_words(language)
    return Splitter(
        lambda word: _stemmed(fields, word, language),
        documents,
        lambda word: any(function_words.among([each]) for each in _unfolded(word)),
    )


def _stemmed(fields: IndexFields, word: str, language: str) -> str:
    """Return the term of a word; "" if it has none."""
    return next(iter(fields.tokens(word, language)), "")


def _count(terms: Mapping[str, int], term: str) -> int:
    return terms.get(term, 0)


@cache
def _function_words(language: str) -> FunctionWords:
    return FunctionWords((language,))


_ACCENTED: Final = {"a": "äå", "o": "öø", "u": "ü"}


def _unfolded(word: str) -> Iterator[str]:
    """Yield a word without accents, and each word that has one more accent."""
    yield word
    for place, letter in enumerate(word):
        for accented in _ACCENTED.get(letter, ""):
            yield word[:place] + accented + word[place + 1 :]


def _is_common_word(text: str) -> bool:
    """Return whether a word of a query may be a compound or part of one; `utf8`, `SQL` and other names are neither."""
    return len(text) >= LEAST_PART and text.isalpha() and text[1:].islower()
