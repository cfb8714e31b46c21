"""Builds tantivy queries."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil
from typing import Final

import tantivy
from tantivy import Occur, Query

from hinterland.search.store.field_queries import FieldQueries, any_of
from hinterland.search.store.fields import DATED, RELEVANCE, TYPE, YEAR, IndexFields
from hinterland.search.store.named_by_query import NamedByQuery, is_plain
from hinterland.search.store.related_terms import RelatedTerms
from hinterland.search.store.term_statistics import TermStatistics
from hinterland.search.store.values.spellings import is_joined
from hinterland.search.store.values.term_query import DEFINITIONS, NAMES, TEXT_FIELDS, Boosts, QueryTerm, TermQuery
from hinterland.search.store.word_queries import WordQueries

_ALIKE: Boosts = dict.fromkeys(TEXT_FIELDS, 1.0)
FIELDS, NEARNESS, HOME_PAGE = "fields", "nearness", "home"
"""Parts of a text score."""
MOST_TOLD_APART: Final = 24
"""How many powers of two a score of 32 bits adds up exactly."""
_NEAR: Final = 0.35
"""The score of two words near each other, as a share of their score as a phrase."""
_FULL_NAMES: Final = 2
"""In queries of up to this many words, each counts in full in NAMES; in longer queries, all words together count as
much as this many. A title has about two of the words, so most words of a sentence can only be in the text.
"""


class QueryBuilder:
    """Builds queries for an index with these fields."""

    def __init__(self, fields: IndexFields, statistics: TermStatistics, related: RelatedTerms) -> None:
        """Start with the fields, the statistics and the related terms of an index."""
        self._fields = fields
        self._in_fields = FieldQueries(fields, statistics, related)
        self._words = WordQueries(fields, statistics, self._in_fields)
        self._named = NamedByQuery(fields, self._words)

    def matching(self, query: TermQuery, boosts: Boosts) -> Query:
        """Return the query for documents that meet all requirements of the query and have nothing that it excludes.

        The score is a sum: the BM25 scores of the required words in the field of all words, in the field of names and
        in the rest of the text; the weights of identifiers as spelt (see `WordQueries.everywhere`); _NEAR times the
        score of each two words that stand near each other; and what `NamedByQuery` adds.
        """
        if not self._can_match(query):
            return Query.empty_query()
        share = _share_of_names(query)
        clauses = self._requirements(query, _weighed(query, boosts, share), share)
        clauses += [(Occur.Should, each) for each in self._bonuses(query, boosts, share)]
        return Query.boolean_query(clauses)

    def matched(self, query: TermQuery, boosts: Boosts) -> Query:
        """Return the query for the same documents as `matching`, to count them. Its scores mean nothing."""
        if not self._can_match(query):
            return Query.empty_query()
        share = _share_of_names(query)
        return Query.boolean_query(self._requirements(query, _weighed(query, boosts, share), share))

    def _can_match(self, query: TermQuery) -> bool:
        """Return False if no document can match, because a required word occurs nowhere.

        tantivy would find this out only after evaluating all other words.
        """
        return query.least_words is not None or self.has_all(query)

    def _requirements(self, query: TermQuery, boosts: Boosts, share: float) -> list[tuple[Occur, Query]]:
        """Return the clauses that decide which documents match; the scores are those of the words alone."""
        clauses = [(Occur.Must, _unscored(condition)) for condition in self._conditions(query)]
        clauses += [(Occur.MustNot, unwanted) for unwanted in self._exclusions(query)]
        least = query.least_words
        sites = self._named.sites(query)
        wanted = [(each.may_lack, self._word(each, boosts, share, sites)) for each in query.required]
        if least is not None and 0 < least < sum(may_lack for may_lack, _ in wanted):
            some = [(Occur.Should, words) for may_lack, words in wanted if may_lack and words is not None]
            clauses.append((Occur.Must, Query.boolean_query(some, least)))
            wanted = [(may_lack, words) for may_lack, words in wanted if not may_lack]
        clauses += [(Occur.Must, Query.empty_query() if words is None else words) for _, words in wanted]
        if not any(occur == Occur.Must for occur, _ in clauses):
            clauses.append((Occur.Must, _unscored(Query.all_query())))
        return clauses

    def _bonuses(self, query: TermQuery, boosts: Boosts, share: float) -> list[Query]:
        """Return the queries that only add to the scores of documents that match."""
        of_words = [*self._named.by_whole_names(query, boosts), *self._near(query, _weighed(query, boosts, share))]
        of_sites = [self._raised(site, add) for site, add in query.raised_sites]
        return [*of_words, *self._named.by_home_pages(query), *self._named.by_sites(query), *of_sites]

    def _near(self, query: TermQuery, boosts: Boosts) -> list[Query]:
        plain = [words for words in query.required if is_plain(words)]
        found = [near for first, second in pairwise(plain) for near in self._words.near(first, second, boosts)]
        return [Query.boost_query(each, _NEAR) for each in found]

    def _word(self, words: QueryTerm, boosts: Boosts, share: float, sites: Container[QueryTerm]) -> Query | None:
        """Return the query for one word; `share` is the result of `_share_of_names` for its query.

        A plain word such as "PostgreSQL" may be an identifier if it is the only word of the query, but among many words
        it seldom is. So its boost as a defined identifier falls with the number of words. A word that names one of the
        `sites` says which site is meant, and not which page defines it.
        """
        if not is_joined(words.spelling):
            factor = 0.0 if words in sites else share
            boosts = {**boosts, DEFINITIONS: factor * boosts.get(DEFINITIONS, 0.0)}
        return self._words.everywhere(words, boosts)

    def any_of(self, queries: Sequence[TermQuery], boosts: Boosts) -> Query:
        """Return the query for documents that match at least one of some queries.

        The queries may differ only in their required words. The score is the sum of 2**i over the indices i of the
        queries that match; it is exact for up to MOST_TOLD_APART queries.
        """
        first, *others = (query.required for query in queries)
        common = tuple(words for words in first if all(words in required for required in others))
        every = self.matched(replace(queries[0], required=common), boosts)
        own = [[words for words in query.required if words not in common] for query in queries]
        alternatives = [
            (Occur.Should, Query.const_score_query(self._all_of(words, boosts), float(1 << place)))
            for place, words in enumerate(own)
        ]
        return Query.boolean_query([(Occur.Must, _unscored(every)), (Occur.Must, Query.boolean_query(alternatives))])

    def _all_of(self, required: Sequence[QueryTerm], boosts: Boosts) -> Query:
        return self.matched(TermQuery(required=tuple(required)), boosts)

    def has_all(self, query: TermQuery) -> bool:
        """Return whether each of the required words, or an alternative of it, occurs in any document."""
        return all(map(self._words.is_anywhere, query.required))

    def pages_with(self, words: QueryTerm) -> int:
        """Return roughly how many documents have all of these words, see `WordQueries.pages_with`."""
        return self._words.pages_with(words)

    def _raised(self, site: str, add: float) -> Query:
        here = self._in_fields.term("site", site)
        if add >= 0:
            return Query.const_score_query(here, add)
        others = Query.boolean_query([(Occur.Must, Query.all_query()), (Occur.MustNot, here)])
        return Query.const_score_query(others, -add)

    def scoring(self, query: TermQuery, boosts: Boosts, pages: Sequence[int], part: str = "") -> Query | None:
        """Return the query for the documents of these pages that have any of the required words.

        With `part`, only this part of the score is computed: FIELDS, NEARNESS or HOME_PAGE. Returns None if there are
        no words.
        """
        share = _share_of_names(query)
        named = self._named.by_whole_names(query, boosts)
        boosts = _weighed(query, boosts, share)
        wanted = list[Query]()
        if part in ("", FIELDS):
            sites = self._named.sites(query)
            found = [self._word(each, boosts, share, sites) for each in query.required]
            wanted += [*named, *(each for each in found if each is not None)]
        if part in ("", NEARNESS):
            wanted += self._near(query, boosts)
        if part in ("", HOME_PAGE):
            wanted += [*self._named.by_home_pages(query), *self._named.by_sites(query)]
        words = any_of(wanted)
        if words is None:
            return None
        return Query.boolean_query([(Occur.Must, _unscored(self.among(pages))), (Occur.Must, words)])

    def each_of(self, words: Sequence[QueryTerm], boosts: Boosts, pages: Sequence[int]) -> Query:
        """Return the query for the documents of these pages that have any of the words.

        The score is the sum of 2**i over the indices i of the words that a document has; it is exact for up to
        MOST_TOLD_APART words.
        """
        found = [self._words.everywhere(each, boosts) for each in words]
        alternatives = [
            (Occur.Should, Query.const_score_query(query, float(1 << place)))
            for place, query in enumerate(found)
            if query is not None
        ]
        return Query.boolean_query(
            [(Occur.Must, _unscored(self.among(pages))), (Occur.Must, Query.boolean_query(alternatives))]
        )

    def in_field(self, query: TermQuery, field: str, language: str, shown: str | None = None) -> Query | None:
        """Return the query for any of the required words in one field, even if the user wants them in another field.

        `shown` is the text in which matches are to be shown, see `WordQueries.in_field`. Returns None if there are no
        words.
        """
        wanted = [each for words in query.required for each in (words, *words.others)]
        found = [self._words.in_field(words, field, language, shown) for words in wanted]
        return any_of(words for words in found if words is not None)

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
                conditions.append(
                    Query.boolean_query([(Occur.Should, self._in_fields.term(field, value)) for value in values])
                )
        if query.since is not None:
            conditions.append(self._since(int(query.since)))
        if query.years:
            conditions.append(Query.term_set_query(self._fields.schema, YEAR, list(query.years)))
        if query.least_relevance is not None:
            conditions.append(self._from(RELEVANCE, tantivy.FieldType.Unsigned, ceil(100 * query.least_relevance)))
        return conditions

    def _since(self, moment: int) -> Query:
        fetched = self._from("fetched_at", tantivy.FieldType.Integer, moment)
        undated = [(Occur.Must, fetched), (Occur.MustNot, Query.exists_query(DATED))]
        dated = self._from(DATED, tantivy.FieldType.Integer, moment)
        return Query.boolean_query([(Occur.Should, dated), (Occur.Should, Query.boolean_query(undated))])

    def _from(self, field: str, kind: tantivy.FieldType, least: int) -> Query:
        return Query.range_query(self._fields.schema, field, kind, lower_bound=least)

    def _exclusions(self, query: TermQuery) -> list[Query]:
        words = [self._words.everywhere(replace(each, is_literal=True), _ALIKE) for each in query.excluded]
        exclusions = [each for each in words if each is not None]
        exclusions += [self._in_fields.term("site", site) for site in query.excluded_sites]
        if query.excluded_pages:
            exclusions.append(self.among(query.excluded_pages))
        return exclusions


def _share_of_names(query: TermQuery) -> float:
    """Return the factor on the boost of NAMES for the words of a query, see _FULL_NAMES."""
    return min(_FULL_NAMES / max(len(query.required), 1), 1.0)


def _weighed(query: TermQuery, boosts: Boosts, share: float) -> Boosts:
    """Return the boosts for the words of a query, without the field `rest` if words in this field do not count."""
    weighed = {**boosts, NAMES: share * boosts.get(NAMES, 0.0)}
    return {field: boost for field, boost in weighed.items() if field != "rest"} if query.is_soft else weighed


def _unscored(query: Query) -> Query:
    return Query.const_score_query(query, 0.0)
