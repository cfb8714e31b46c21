"""Builds the tantivy query for one word: in all fields, in all languages, with all its alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tantivy import Occur, Query

from hinterland.search.store.field_queries import (
    MOST_NEAR,
    FieldQueries,
    Terms,
    any_of,
    other_forms,
)
from hinterland.search.store.fields import DOMAIN, HOME, UNSTEMMED, IndexFields, spelt_in
from hinterland.search.store.home_pages import GENERIC, home_term
from hinterland.search.store.spelling_queries import SpellingQueries
from hinterland.search.store.term_statistics import TermStatistics
from hinterland.search.store.values.spellings import is_joined
from hinterland.search.store.values.term_query import DEFINITIONS, NAMES, SPELT_FIELDS, WORDS, Boosts, QueryTerm

_BY_WORDS: Final = (WORDS, NAMES, "rest")
"""The fields in which words are searched for unless the user names one."""
_MOST_FIRST: Final = (WORDS, "rest", NAMES)
"""The same fields in descending order of the share of words that they contain."""
_GAP: Final = 2
"""How many other words may stand between two words that count as near."""
_LEAST_SITE: Final = 3
"""Letters of a word that may name a site."""
_PARTS_ONLY: Final = 0.1
"""The factor on the score of the parts of an identifier, unless no page has the name as spelt and it is one word."""


class WordQueries:
    """Builds queries for single words of an index with these fields."""

    def __init__(self, fields: IndexFields, statistics: TermStatistics, in_fields: FieldQueries) -> None:
        """Start with the fields and the statistics of an index, and the queries for single fields."""
        self._fields = fields
        self._statistics = statistics
        self._in_fields = in_fields
        self._spellings = SpellingQueries(statistics, in_fields)

    def everywhere(self, words: QueryTerm, boosts: Boosts) -> Query | None:
        """Return the query for words, or their alternatives, in any of their fields and any language.

        Returns None if there are no words or no field has a boost. A field that the user named is searched even if its
        boost is 0.
        """
        terms = self._in_fields.terms(words)
        clauses = list[Query]()
        for field in (words.field,) if words.field else _BY_WORDS:
            boost = boosts.get(field)
            if boost is not None and (boost > 0 or words.field):
                clauses += self._by_words(words, terms, field, boost)
        if words.spelling:
            for field in (words.field,) if words.field else SPELT_FIELDS:
                boost = boosts.get(field, 0.0)
                clauses += self._spellings.as_spelt(words, terms, field, boost) if boost > 0 else ()
        if words.member is not None and boosts.get(DEFINITIONS, 0.0) > 0:
            clauses += self._spellings.of_member(*words.member, boosts[DEFINITIONS])
        alternatives = (self.everywhere(other, boosts) for other in words.others)
        return any_of([*clauses, *(each for each in alternatives if each is not None)])

    def in_field(self, words: QueryTerm, field: str, language: str, shown: str | None = None) -> Query | None:
        """Return the query for words in one field of one language; None if there are no words.

        `shown` is a text in which the matches of the query are to be shown.
        """
        name = self._fields.name(field, language)
        return self._in_fields.words_in(words, name, self._fields.tokens(words.text, language), shown)

    def near(self, first: QueryTerm, second: QueryTerm, boosts: Boosts) -> list[Query]:
        """Return queries for two words in this order, with at most _GAP other words between them."""
        found = []
        is_rare = min(self.pages_with(first), self.pages_with(second)) <= MOST_NEAR
        for field in (WORDS, NAMES) if is_rare else (NAMES,):
            boost = boosts.get(field, 0.0)
            for language, name in self._fields.names(field) if boost > 0 else ():
                pair: list[Any] = [
                    *self._fields.tokens(first.text, language),
                    *self._fields.tokens(second.text, language),
                ]
                if len(pair) > 1 and all(self._statistics.having(name, term) for term in pair):
                    phrase = Query.phrase_query(self._fields.schema, name, pair, _GAP)
                    found.append(Query.boost_query(phrase, boost * self._statistics.more_weight(name, pair)))
        return found

    def in_a_row(self, words: Sequence[QueryTerm], field: str, language: str) -> Query | None:
        """Return the query for documents that have all words, in this order, in one text of a field.

        At most _GAP other words may stand between them. The score is the rarity of the words, and does not depend on
        the length of the field, since a page with a hundred headings is about each of them. Returns None if no document
        can match.
        """
        if not all(self._having_all(each, field, language) for each in words):
            return None
        name = self._fields.name(field, language)
        row: list[Any] = [token for each in words for token in self._fields.tokens(each.text, language)]
        if len(row) < 2:
            return None
        phrase = Query.phrase_query(self._fields.schema, name, row, _GAP)
        return Query.const_score_query(phrase, self._statistics.weight(name, row))

    def all_in(
        self, words: Sequence[QueryTerm], field: str, language: str, others: Sequence[QueryTerm] = ()
    ) -> Query | None:
        """Return the query for documents that have all of these words in one field; None if no document can.

        The documents must also have the words in `others` in this field; these do not count for the score.
        """
        if not all(self._having_all(each, field, language) for each in (*words, *others)):
            return None
        found = [self.in_field(each, field, language) for each in words]
        unscored = (self.in_field(each, field, language) for each in others)
        found += [None if each is None else Query.const_score_query(each, 0.0) for each in unscored]
        return Query.boolean_query([(Occur.Must, each) for each in found if each is not None])

    def _having_all(self, words: QueryTerm, field: str, language: str) -> bool:
        name = self._fields.name(field, language)
        tokens = self._fields.tokens(words.text, language)
        return bool(tokens) and all(self._statistics.having(name, token) for token in tokens)

    def home_page(self, words: Sequence[QueryTerm], scores: Sequence[float]) -> Query | None:
        """Return the query for the home pages of sites that the words name; words such as "documentation" are ignored.

        `scores` are the scores of home pages by depth, beginning with the host's own home page. Returns None if the
        words name no site.
        """
        asked = dict.fromkeys(each for word in words for each in self._fields.tokens(word.text, UNSTEMMED))
        names = [each for each in asked if each not in GENERIC]
        found = []
        for depth, score in enumerate(scores) if names else ():
            terms = [home_term(depth, each) for each in names]
            if all(self._statistics.having(HOME, term) for term in terms):
                every = Query.boolean_query([(Occur.Must, self._in_fields.term(HOME, term)) for term in terms])
                found.append(Query.const_score_query(every, score))
        return any_of(found)

    def named_site(self, words: QueryTerm) -> Query | None:
        """Return the query for the pages of registrable domains that a word names; None if there is none.

        `rust` names rust.example and rust-lang.example.
        """
        name = "-".join(self._fields.tokens(words.text, UNSTEMMED))
        if len(name) < _LEAST_SITE:
            return None
        sites = [*self._statistics.beginning(DOMAIN, f"{name}."), *self._statistics.beginning(DOMAIN, f"{name}-")]
        return any_of(self._in_fields.term(DOMAIN, each) for each in sites)

    def pages_with(self, words: QueryTerm) -> int:
        """Return roughly how many documents have all of these words, in any form and order.

        Documents are counted in the field that holds all words. If no document has the words there, the next field is
        counted in which a document has them.
        """
        every = [
            self._in_fields.terms(words),
            *(self._in_fields.terms(QueryTerm(other)) for other in other_forms(words)),
        ]
        for field in (words.field,) if words.field else _MOST_FIRST:
            counts = [
                min((self._in_fields.having(words, name, term) for term in terms[language]), default=0)
                for language, name in self._fields.names(field)
                for terms in every
            ]
            if any(counts):
                return max(counts)
        return 0

    def is_anywhere(self, words: QueryTerm) -> bool:
        """Return whether the words, or an alternative of them, occur in any document."""
        if self.pages_with(words) or any(map(self.is_anywhere, words.others)):
            return True
        if words.member is not None and self._spellings.of_member(*words.member, 1.0):
            return True
        spelt = spelt_in(DEFINITIONS, words.spelling)
        return bool(
            words.spelling and (self._statistics.rarity(spelt) or self._spellings.names_beginning(words, spelt, 1.0))
        )

    # ------------------------------------------------------------ one field

    def _by_words(self, words: QueryTerm, terms: Terms, field: str, boost: float) -> list[Query]:
        """Return the queries for words in one field, in any language. The parts of an identifier get a low weight."""
        is_in_parts = is_joined(words.spelling) and not words.is_prefix
        factor = _PARTS_ONLY * boost if is_in_parts else boost
        return [Query.boost_query(each, factor) for each in self._in_fields.in_languages(words, terms, field)]
