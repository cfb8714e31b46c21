"""Builds the tantivy queries for one word in one field, with the terms that are related to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tantivy import Occur, Query

from hinterland.search.sections import folded_text
from hinterland.search.store.fields import UNSTEMMED, IndexFields
from hinterland.search.store.related_terms import MatchKind, Related, RelatedTerms
from hinterland.search.store.term_statistics import TermStatistics
from hinterland.search.store.values.spellings import is_joined
from hinterland.search.store.values.term_query import NAMES, WORDS, QueryTerm
from hinterland.search.word_forms.versions import other_form

Terms = Mapping[str, Sequence[str]]
"""The terms of a text by language."""
MOST_NEAR: Final = 3_000
"""Two words are searched for near each other in texts only if one of them is in at most this many documents: reading
the positions of frequent words takes milliseconds.
"""
_GAP_OF_PARTS: Final = 3
"""How many other words may stand between the parts of a compound, as in `Verbindung zu einer Datenbank`."""
_WITH_RELATED: Final = (f"{WORDS}_", f"{NAMES}_")
"""How the names of the fields begin in which related terms are searched for, unless the user names a field."""
_TIES: Final = 0.1
"""The share of the lower scores that counts if a page has several forms of a word."""
_OF_OTHER_FORM: Final = 0.5
"""The score of a version written in the other way, as a share of the score of the version as it is asked for."""


class FieldQueries:
    """Builds queries for words in single fields of an index."""

    def __init__(self, fields: IndexFields, statistics: TermStatistics, related: RelatedTerms) -> None:
        """Start with the fields, the statistics and the related terms of an index."""
        self._fields = fields
        self._statistics = statistics
        self._related = related

    def terms(self, words: QueryTerm) -> Terms:
        """Return the terms of the words by language. The beginning of a word (`is_prefix`) is not stemmed."""
        return {
            language: self._fields.tokens(words.text, UNSTEMMED if words.is_prefix else language)
            for language in self._fields.stemmings
        }

    def term(self, field: str, value: str) -> Query:
        """Return the query for a term of a field."""
        return Query.term_query(self._fields.schema, field, value)

    def in_languages(self, words: QueryTerm, terms: Terms, field: str) -> list[Query]:
        """Return the queries for words in a field, one for each language that has the words."""
        found = [self.words_in(words, name, terms[language]) for language, name in self._fields.names(field)]
        return [each for each in found if each is not None]

    def words_in(self, words: QueryTerm, name: str, tokens: Sequence[str], shown: str | None = None) -> Query | None:
        """Return the query for words in the field `name`, given their terms in this field; None if there are no terms.

        `shown` is a text in which the matches of the query are to be shown.
        """
        if words.is_prefix:
            return self._beginning_in(words, name)
        if len(tokens) == 1:
            return self._with_related(words, name, tokens[0], shown)
        found = self._in_a_row(words, name, tokens)
        return None if found is None else self._weighed(found, name, tokens)

    def having(self, words: QueryTerm, name: str, term: str) -> int:
        """Return the number of documents with a term.

        If there are none, return the number for the most frequent of its related terms. If the word is only a
        beginning, return the number for the most frequent term that begins with it.
        """
        if not words.is_prefix:
            return self._statistics.having(name, term) or max(
                (self._having_related(each, name) for each in self._related.of(words, name, term)), default=0
            )
        return sum(self._statistics.having(name, each) for each in self._statistics.beginning(name, term)[:1])

    def _weighed(self, query: Query, name: str, tokens: Sequence[str], factor: float = 1.0) -> Query:
        weight = factor * self._statistics.more_weight(name, tokens)
        return query if weight == 1.0 else Query.boost_query(query, weight)

    def _in_a_row(self, words: QueryTerm, name: str, tokens: Sequence[str]) -> Query | None:
        row = self._row(words, name, tokens)
        if row is None:
            return None
        joined = self._related.joined(words, name)
        others = [self.term(name, joined)] if joined else []
        for form in other_forms(words):
            terms = self._fields.tokens(form, name.rpartition("_")[2])
            other = (
                self._row(words, name, terms) if all(self._statistics.having(name, each) for each in terms) else None
            )
            if other is not None:
                usual, weight = self._statistics.weight(name, tokens), self._statistics.weight(name, terms)
                share = min(usual / weight, 1.0) if usual and weight else 1.0
                others.append(Query.boost_query(other, _OF_OTHER_FORM * share))
        return Query.disjunction_max_query([row, *others], _TIES) if others else row

    def _row(self, words: QueryTerm, name: str, tokens: Sequence[str]) -> Query | None:
        if not tokens:
            return None
        if name.startswith("rest_"):  # has no positions
            if words.is_phrase or is_joined(words.spelling):
                return None
            return Query.boolean_query([(Occur.Must, self.term(name, token)) for token in tokens])
        in_a_row: list[Any] = list(tokens)
        return Query.phrase_query(self._fields.schema, name, in_a_row)

    def _with_related(self, words: QueryTerm, name: str, term: str, shown: str | None) -> Query:
        """Return the query for a term or its related terms; documents get the highest of the scores."""
        is_asked = shown is not None or words.field or name.startswith(_WITH_RELATED)
        related = self._related.of(words, name, term) if is_asked else ()
        if not related:
            return self._weighed(self.term(name, term), name, [term])
        found = (self._of_related(each, name, shown) for each in related)
        queries = [each for each in found if each is not None]
        return Query.disjunction_max_query(queries, _TIES) if queries else self.term(name, term)

    def _of_related(self, related: Related, name: str, shown: str | None) -> Query | None:
        """Return the query for related terms in a field; None if they cannot be searched for in this field."""
        terms: list[Any] = list(related.terms)
        if related.kind is MatchKind.ANY:
            if shown is not None:
                letters = folded_text(shown).replace("ß", "ss")
                return any_of(self.term(name, each) for each in terms if each in letters)
            some = any_of(self.term(name, each) for each in terms)
            return None if some is None else Query.const_score_query(some, related.score)
        if related.kind is MatchKind.NEAR:
            if name.startswith("rest_") or self._having_related(related, name) > MOST_NEAR:
                return None
            query = Query.phrase_query(self._fields.schema, name, terms, _GAP_OF_PARTS)
        else:
            query = Query.boolean_query([(Occur.Must, self.term(name, each)) for each in terms])
        return self._weighed(query, name, terms, related.score)

    def _having_related(self, related: Related, name: str) -> int:
        having = (self._statistics.having(name, each) for each in related.terms)
        return max(having) if related.kind is MatchKind.ANY else min(having)

    def _beginning_in(self, words: QueryTerm, name: str) -> Query | None:
        """Return the query for a sequence of words in a field, where the last word is only the beginning of a term."""
        parts: list[Any] = list(self._fields.tokens(words.text, UNSTEMMED))
        if not parts or (len(parts) > 1 and name.startswith("rest_")):
            return None
        if len(parts) > 1:
            return Query.phrase_prefix_query(self._fields.schema, name, parts)
        found = [self.term(name, each) for each in self._statistics.beginning(name, parts[0])]
        return Query.disjunction_max_query(found) if found else None


def other_forms(words: QueryTerm) -> tuple[str, ...]:
    """Return the other way to write a version, such as `v2.0` for `2.0`; nothing for phrases and other words."""
    form = "" if words.is_phrase or words.is_literal or words.is_prefix else other_form(words.text)
    return (form,) if form else ()


def any_of(queries: Iterable[Query]) -> Query | None:
    """Return the query for documents that match any of some queries; None without queries."""
    clauses = [(Occur.Should, query) for query in queries]
    return Query.boolean_query(clauses) if clauses else None
