"""Builds tantivy queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil, log
from typing import Any, Final

import tantivy
from tantivy import Occur, Query

from hinterland.search.store.fields import DATED, RELEVANCE, SPELLINGS, TYPE, YEAR, IndexFields, spelt_in
from hinterland.search.store.values.spellings import is_joined
from hinterland.search.store.values.term_query import DEFINITIONS, TEXT_FIELDS, Boosts, QueryTerm, TermQuery

_ALIKE: Boosts = dict.fromkeys(TEXT_FIELDS, 1.0)
_BODY_FIRST: Final = ("body", "rest", "title", "headings", "anchors_inside", "anchors_outside", "url", "description")
"""The text fields in descending order of their number of words."""
_Terms = Mapping[str, Sequence[str]]
"""Language -> terms of a text in that language."""
_PARTS_ONLY: Final = 0.1
"""The factor on the score of the parts of a code name in fields that do not contain the name as spelt."""


class QueryBuilder:
    """Builds queries for an index with these fields."""

    def __init__(
        self,
        fields: IndexFields,
        having: Callable[[str, str], int],
        rarity: Callable[[str], float],
        more_weight: Callable[[str, Sequence[str]], float],
    ) -> None:
        """Start with the fields and statistics of an index.

        `having` returns the number of documents with a term, given the name of the field and the term. `rarity` returns
        the inverse frequency of a term of the field SPELLINGS, 0 if no document has it. `more_weight` returns the
        factor on the weight of terms of a field.
        """
        self._fields = fields
        self._having = having
        self._rarity = rarity
        self._more_weight = more_weight

    def matching(self, query: TermQuery, boosts: Boosts) -> Query:
        """Return the query for documents that have everything that is required and nothing that is excluded.

        Only the required words contribute to the score.
        """
        if query.least_words is None and not self.has_all(query):
            return Query.empty_query()  # tantivy would evaluate all other words before finding out
        clauses = [(Occur.Must, _unscored(condition)) for condition in self._conditions(query)]
        clauses += [(Occur.MustNot, unwanted) for unwanted in self._exclusions(query)]
        least = query.least_words
        wanted = [(each.may_lack, self._everywhere(each, boosts) or Query.empty_query()) for each in query.required]
        if least is not None and 0 < least < sum(may_lack for may_lack, _ in wanted):
            any_of = [(Occur.Should, words) for may_lack, words in wanted if may_lack]
            clauses.append((Occur.Must, Query.boolean_query(any_of, least)))
            wanted = [(may_lack, words) for may_lack, words in wanted if not may_lack]
        clauses += [(Occur.Must, words) for _, words in wanted]
        if not any(occur == Occur.Must for occur, _ in clauses):
            clauses.append((Occur.Must, _unscored(Query.all_query())))
        clauses += [(Occur.Should, self._raised(site, add)) for site, add in query.raised_sites]
        return Query.boolean_query(clauses)

    def any_of(self, queries: Sequence[TermQuery], boosts: Boosts) -> Query:
        """Return the query for documents that match any of some queries that differ only in the required words.

        The score is the sum of 2**i over the queries that match, exact for two dozen.
        """
        first, *others = (query.required for query in queries)
        common = tuple(words for words in first if all(words in required for required in others))
        every = self.matching(replace(queries[0], required=common), boosts)
        own = [[words for words in query.required if words not in common] for query in queries]
        alternatives = [
            (Occur.Should, Query.const_score_query(self._all_of(words, boosts), float(1 << place)))
            for place, words in enumerate(own)
        ]
        return Query.boolean_query([(Occur.Must, _unscored(every)), (Occur.Must, Query.boolean_query(alternatives))])

    def _all_of(self, required: Sequence[QueryTerm], boosts: Boosts) -> Query:
        return self.matching(TermQuery(required=tuple(required)), boosts)

    def has_all(self, query: TermQuery) -> bool:
        """Return whether each of the required words, or an alternative of it, occurs in any document."""
        return all(map(self._is_anywhere, query.required))

    def pages_with(self, words: QueryTerm) -> int:
        """Return roughly how many documents have all of these words, in any form and order.

        It counts documents with these words in the main content or, if there are none, in the next field where any
        document has them.
        """
        terms = self._terms(words)
        for field in (words.field,) if words.field else _BODY_FIRST:
            counts = [
                min((self._having(name, term) for term in terms[language]), default=0)
                for language, name in self._fields.names(field)
            ]
            if any(counts):
                return max(counts)
        return 0

    def _is_anywhere(self, words: QueryTerm) -> bool:
        if self.pages_with(words) or any(map(self._is_anywhere, words.others)):
            return True
        return bool(words.spelling and self._rarity(spelt_in(DEFINITIONS, words.spelling)))

    def _raised(self, site: str, add: float) -> Query:
        here = self._term("site", site)
        if add >= 0:
            return Query.const_score_query(here, add)
        others = Query.boolean_query([(Occur.Must, Query.all_query()), (Occur.MustNot, here)])
        return Query.const_score_query(others, -add)

    def scoring(self, query: TermQuery, boosts: Boosts, pages: Sequence[int]) -> Query | None:
        """Return the query for the documents of these pages that have any of the required words.

        Returns None if there are no words.
        """
        wanted = [self._everywhere(words, boosts) for words in query.required]
        words = _any_of(words for words in wanted if words is not None)
        if words is None:
            return None
        return Query.boolean_query([(Occur.Must, _unscored(self.among(pages))), (Occur.Must, words)])

    def in_field(self, query: TermQuery, field: str, language: str) -> Query | None:
        """Return the query for any of the required words in one field, even if the user restricted them to another.

        Returns None if there are no words.
        """
        name = self._fields.name(field, language)
        wanted = [each for words in query.required for each in (words, *words.others)]
        found = [self._words_in(words, name, self._fields.tokens(words.text, language)) for words in wanted]
        return _any_of(words for words in found if words is not None)

    def dated(self, query: Query) -> Query:
        """Restrict a query to documents with a date."""
        has_date = Query.exists_query(DATED)
        return Query.boolean_query([(Occur.Must, query), (Occur.Must, has_date)])

    def between(self, first: int, end: int) -> Query:
        """Return the query for documents of pages from `first` to below `end`."""
        unsigned = tantivy.FieldType.Unsigned
        return Query.range_query(self._fields.schema, "page", unsigned, first, end, include_upper=False)

    def among(self, pages: Sequence[int]) -> Query:
        """Return the query for documents of these pages."""
        return Query.term_set_query(self._fields.schema, "page", list(pages))

    def _conditions(self, query: TermQuery) -> list[Query]:
        conditions = []
        for field, values in (("site", query.sites), ("language", query.languages), (TYPE, query.types)):
            if values:
                conditions.append(Query.boolean_query([(Occur.Should, self._term(field, value)) for value in values]))
        if query.since is not None:
            conditions.append(self._since(int(query.since)))
        if query.years:
            conditions.append(Query.term_set_query(self._fields.schema, YEAR, list(query.years)))
        if query.least_relevance is not None:
            conditions.append(self._from(RELEVANCE, tantivy.FieldType.Unsigned, ceil(100 * query.least_relevance)))
        return conditions

    def _since(self, moment: int) -> Query:
        fetched = self._from("fetched_at", tantivy.FieldType.Integer, moment)
        if not self._fields.has_facets:
            return fetched
        undated = [(Occur.Must, fetched), (Occur.MustNot, Query.exists_query(DATED))]
        dated = self._from(DATED, tantivy.FieldType.Integer, moment)
        return Query.boolean_query([(Occur.Should, dated), (Occur.Should, Query.boolean_query(undated))])

    def _from(self, field: str, kind: tantivy.FieldType, least: int) -> Query:
        return Query.range_query(self._fields.schema, field, kind, lower_bound=least)

    def _exclusions(self, query: TermQuery) -> list[Query]:
        words = [self._everywhere(each, _ALIKE) for each in query.excluded]
        exclusions = [each for each in words if each is not None]
        exclusions += [self._term("site", site) for site in query.excluded_sites]
        if query.excluded_pages:
            exclusions.append(self.among(query.excluded_pages))
        return exclusions

    def _everywhere(self, words: QueryTerm, boosts: Boosts) -> Query | None:
        """Return the query for words, or their alternatives, in any of their fields and any language.

        Returns None if there are no words or no field has a boost. A field that the user named is searched even if its
        boost is 0.
        """
        clauses = []
        terms = self._terms(words)
        for field in (words.field,) if words.field else TEXT_FIELDS:
            boost = boosts.get(field)
            if boost is None or (boost <= 0 and not words.field):
                continue
            clauses += self._in_one(words, terms, field, boost)
        alternatives = (self._everywhere(other, boosts) for other in words.others)
        return _any_of([*clauses, *(each for each in alternatives if each is not None)])

    def _in_one(self, words: QueryTerm, terms: _Terms, field: str, boost: float) -> list[Query]:
        """Return queries for words in one field, in any language.

        A code name that occurs as spelt scores by its rarity, regardless of how often it occurs and what surrounds it:
        a page that describes hundreds of names describes each.
        """
        found = [] if field == DEFINITIONS else self._in_languages(words, terms, field)
        if not words.spelling:
            return [Query.boost_query(each, boost) for each in found]
        spelt = spelt_in(field, words.spelling)
        rarity = self._rarity(spelt)
        is_one_word = not is_joined(words.spelling)  # its only part is itself
        if not rarity:
            return [Query.boost_query(each, boost if is_one_word else _PARTS_ONLY * boost) for each in found]
        is_here = Query.const_score_query(self._term(SPELLINGS, spelt), boost * rarity)
        if is_one_word:
            defined = [is_here] if field == DEFINITIONS else []
            return [*(Query.boost_query(each, boost) for each in found), *defined]
        parts = [Query.boost_query(each, _PARTS_ONLY * boost) for each in found]
        whole = [(Occur.Should, Query.boost_query(each, boost)) for each in found]
        return [*parts, Query.boolean_query([(Occur.Must, is_here), *whole])]

    def _in_languages(self, words: QueryTerm, terms: _Terms, field: str) -> list[Query]:
        found = [self._words_in(words, name, terms[language]) for language, name in self._fields.names(field)]
        return [each for each in found if each is not None]

    def _terms(self, words: QueryTerm) -> _Terms:
        return {language: self._fields.tokens(words.text, language) for language in self._fields.stemmings}

    def _words_in(self, words: QueryTerm, name: str, tokens: Sequence[str]) -> Query | None:
        found = self._unweighed(words, name, tokens)
        weight = 1.0 if found is None else self._more_weight(name, tokens)
        return found if found is None or weight == 1.0 else Query.boost_query(found, weight)

    def _unweighed(self, words: QueryTerm, name: str, tokens: Sequence[str]) -> Query | None:
        if not tokens:
            return None
        if len(tokens) == 1:
            return self._term(name, tokens[0])
        if name.startswith("rest_"):  # has no positions
            if words.is_phrase or is_joined(words.spelling):
                return None
            return Query.boolean_query([(Occur.Must, self._term(name, token)) for token in tokens])
        in_a_row: list[Any] = list(tokens)
        return Query.phrase_query(self._fields.schema, name, in_a_row)

    def _term(self, field: str, value: str) -> Query:
        return Query.term_query(self._fields.schema, field, value)


def inverse_frequency(documents: int, having: int) -> float:
    """Return BM25's weight of a term in `having` documents, never below 0 (Robertson & Zaragoza 2009)."""
    return log(1 + (documents - having + 0.5) / (having + 0.5)) if having else 0.0


def _unscored(query: Query) -> Query:
    return Query.const_score_query(query, 0.0)


def _any_of(queries: Iterable[Query]) -> Query | None:
    clauses = [(Occur.Should, query) for query in queries]
    return Query.boolean_query(clauses) if clauses else None
