"""Builds the tantivy query for one word: in all fields, in all languages, with all its alternatives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Any, Final, Protocol

from tantivy import Occur, Query

from hinterland.search.sections import folded_text
from hinterland.search.store.fields import HOME, SPELLINGS, UNSTEMMED, IndexFields, spelt_in
from hinterland.search.store.home_pages import GENERIC, home_term
from hinterland.search.store.related_terms import MatchKind, Related, RelatedTerms
from hinterland.search.store.values.spellings import is_joined
from hinterland.search.store.values.term_query import DEFINITIONS, NAMES, SPELT_FIELDS, WORDS, Boosts, QueryTerm
from hinterland.search.word_forms.versions import other_form

_BY_WORDS: Final = (WORDS, NAMES, "rest")
"""The fields in which words are searched for unless the user names one."""
_MOST_FIRST: Final = (WORDS, "rest", NAMES)
"""The same fields in descending order of the share of words that they contain."""
_Terms = Mapping[str, Sequence[str]]
"""The terms of a text by language."""
_MOST_NEAR: Final = 3_000
"""Two words are searched for near each other in texts only if one of them is in at most this many documents: reading
the positions of frequent words takes milliseconds.
"""
_GAP: Final = 2
"""How many other words may stand between two words that count as near."""
_GAP_OF_PARTS: Final = 3
"""How many other words may stand between the parts of a compound, as in `Verbindung zu einer Datenbank`."""
_WITH_RELATED: Final = (f"{WORDS}_", f"{NAMES}_")
"""How the names of the fields begin in which related terms are searched for, unless the user names a field."""
_TIES: Final = 0.1
"""The share of the lower scores that counts if a page has several forms of a word."""
_OF_OTHER_FORM: Final = 0.5
"""The score of a version written in the other way, as a share of the score of the version as it is asked for."""
_PARTS_ONLY: Final = 0.1
"""The factor on the score of the parts of an identifier, unless no page has the name as spelt and it is one word."""


class TermStatistics(Protocol):
    """What queries need to know about the terms of an index."""

    def having(self, field: str, term: str, /) -> int:
        """Return the number of documents with a term of a field."""

    def rarity(self, spelling: str, /) -> float:
        """Return the inverse frequency of a term of the field SPELLINGS, 0 if no document has it."""

    def more_weight(self, field: str, terms: Sequence[str], /) -> float:
        """Return the factor on the weight of terms of a field."""

    def weight(self, field: str, terms: Sequence[str], /) -> float:
        """Return the sum of the inverse frequencies of terms of a field."""

    def beginning(self, field: str, letters: str, /) -> Sequence[str]:
        """Return the terms of a field that begin with some letters, the most frequent first."""


class WordQueries:
    """Builds queries for single words of an index with these fields."""

    def __init__(self, fields: IndexFields, statistics: TermStatistics, related: RelatedTerms) -> None:
        """Start with the fields, the statistics and the related terms of an index."""
        self._fields = fields
        self._statistics = statistics
        self._related = related

    def everywhere(self, words: QueryTerm, boosts: Boosts) -> Query | None:
        """Return the query for words, or their alternatives, in any of their fields and any language.

        Returns None if there are no words or no field has a boost. A field that the user named is searched even if its
        boost is 0.
        """
        terms = self.terms(words)
        clauses = list[Query]()
        for field in (words.field,) if words.field else _BY_WORDS:
            boost = boosts.get(field)
            if boost is not None and (boost > 0 or words.field):
                clauses += self._by_words(words, terms, field, boost)
        if words.spelling:
            for field in (words.field,) if words.field else SPELT_FIELDS:
                boost = boosts.get(field, 0.0)
                clauses += self._as_spelt(words, terms, field, boost) if boost > 0 else ()
        if words.member is not None and boosts.get(DEFINITIONS, 0.0) > 0:
            clauses += self._of_member(*words.member, boosts[DEFINITIONS])
        alternatives = (self.everywhere(other, boosts) for other in words.others)
        return any_of([*clauses, *(each for each in alternatives if each is not None)])

    def in_field(self, words: QueryTerm, field: str, language: str, shown: str | None = None) -> Query | None:
        """Return the query for words in one field of one language; None if there are no words.

        `shown` is a text in which the matches of the query are to be shown.
        """
        name = self._fields.name(field, language)
        return self._words_in(words, name, self._fields.tokens(words.text, language), shown)

    def near(self, first: QueryTerm, second: QueryTerm, boosts: Boosts) -> list[Query]:
        """Return queries for two words in this order with at most _GAP others between them."""
        found = []
        is_rare = min(self.pages_with(first), self.pages_with(second)) <= _MOST_NEAR
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

    def all_in(self, words: Sequence[QueryTerm], field: str, language: str) -> Query | None:
        """Return the query for documents that have all of these words in one field; None if no document can."""
        found = [self.in_field(each, field, language) for each in words]
        if not all(self._having_all(each, field, language) for each in words):
            return None
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
                every = Query.boolean_query([(Occur.Must, self.term(HOME, term)) for term in terms])
                found.append(Query.const_score_query(every, score))
        return any_of(found)

    def pages_with(self, words: QueryTerm) -> int:
        """Return roughly how many documents have all of these words, in any form and order.

        Documents are counted in the field of all words or, if none there has these words, in the next field where any
        document has them.
        """
        every = [self.terms(words), *(self.terms(QueryTerm(other)) for other in _other_forms(words))]
        for field in (words.field,) if words.field else _MOST_FIRST:
            counts = [
                min((self._having(words, name, term) for term in terms[language]), default=0)
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
        if words.member is not None and self._of_member(*words.member, 1.0):
            return True
        spelt = spelt_in(DEFINITIONS, words.spelling)
        return bool(words.spelling and (self._statistics.rarity(spelt) or self._names_beginning(words, spelt, 1.0)))

    def terms(self, words: QueryTerm) -> _Terms:
        """Return the terms of the words by language. The beginning of a word (`is_prefix`) is not stemmed."""
        return {
            language: self._fields.tokens(words.text, UNSTEMMED if words.is_prefix else language)
            for language in self._fields.stemmings
        }

    def _having(self, words: QueryTerm, name: str, term: str) -> int:
        if not words.is_prefix:
            return self._statistics.having(name, term) or max(
                (self._having_related(each, name) for each in self._related.of(words, name, term)), default=0
            )
        return sum(self._statistics.having(name, each) for each in self._statistics.beginning(name, term)[:1])

    # ------------------------------------------------------------ one field

    def _by_words(self, words: QueryTerm, terms: _Terms, field: str, boost: float) -> list[Query]:
        """Return the queries for words in one field, in any language, with a low weight for parts of an identifier."""
        is_in_parts = is_joined(words.spelling) and not words.is_prefix
        factor = _PARTS_ONLY * boost if is_in_parts else boost
        return [Query.boost_query(each, factor) for each in self._in_languages(words, terms, field)]

    def _as_spelt(self, words: QueryTerm, terms: _Terms, field: str, boost: float) -> list[Query]:
        """Return queries for an identifier as spelt in one text.

        The score is the rarity of the identifier. It does not depend on how often the identifier occurs or on the
        length of the text, since a page that describes hundreds of names describes each of them. In titles and main
        contents, BM25 for the sequence of its parts is added.
        """
        spelt = spelt_in(field, words.spelling)
        if words.is_prefix:
            return self._names_beginning(words, spelt, boost)
        rarity = self._statistics.rarity(spelt)
        if not rarity:
            return []
        is_here = Query.const_score_query(self.term(SPELLINGS, spelt), boost * rarity)
        if not is_joined(words.spelling):  # its only part is itself
            return [is_here] if field == DEFINITIONS else []
        rows = self._in_languages(words, terms, field) if field in ("title", "body") else ()
        whole = [(Occur.Should, Query.boost_query(each, boost)) for each in rows]
        return [Query.boolean_query([(Occur.Must, is_here), *whole])]

    def _names_beginning(self, words: QueryTerm, spelt: str, boost: float) -> list[Query]:
        names = self._statistics.beginning(SPELLINGS, spelt) if words.is_prefix else ()
        if not names:
            return []
        named = Query.boolean_query([(Occur.Should, self.term(SPELLINGS, name)) for name in names])
        return [Query.const_score_query(named, boost * self._statistics.rarity(names[0]))]

    def _of_member(self, owner: str, member: str, boost: float) -> list[Query]:
        """Return the query for pages with a class or module in their titles that define its member; [] if none does.

        The score is that of a definition of the whole name, even if the page defines many other members.
        """
        spelt = spelt_in(DEFINITIONS, member.casefold())
        rarity = self._statistics.rarity(spelt)
        named = QueryTerm(owner, "title")
        about = any_of(self._in_languages(named, self.terms(named), "title"))
        if not rarity or about is None:
            return []
        defines = Query.const_score_query(self.term(SPELLINGS, spelt), boost * rarity)
        return [Query.boolean_query([(Occur.Must, Query.const_score_query(about, 0.0)), (Occur.Must, defines)])]

    def _in_languages(self, words: QueryTerm, terms: _Terms, field: str) -> list[Query]:
        found = [self._words_in(words, name, terms[language]) for language, name in self._fields.names(field)]
        return [each for each in found if each is not None]

    def _words_in(self, words: QueryTerm, name: str, tokens: Sequence[str], shown: str | None = None) -> Query | None:
        if words.is_prefix:
            return self._beginning_in(words, name)
        if len(tokens) == 1:
            return self._with_related(words, name, tokens[0], shown)
        found = self._in_a_row(words, name, tokens)
        return None if found is None else self._weighed(found, name, tokens)

    def _weighed(self, query: Query, name: str, tokens: Sequence[str], factor: float = 1.0) -> Query:
        weight = factor * self._statistics.more_weight(name, tokens)
        return query if weight == 1.0 else Query.boost_query(query, weight)

    def _in_a_row(self, words: QueryTerm, name: str, tokens: Sequence[str]) -> Query | None:
        row = self._row(words, name, tokens)
        if row is None:
            return None
        joined = self._related.joined(words, name)
        others = [self.term(name, joined)] if joined else []
        for form in _other_forms(words):
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
        """Return the query for a term or what it stands for, by the highest of their scores."""
        is_asked = shown is not None or words.field or name.startswith(_WITH_RELATED)
        related = self._related.of(words, name, term) if is_asked else ()
        if not related:
            return self._weighed(self.term(name, term), name, [term])
        found = (self._of_related(each, name, shown) for each in related)
        queries = [each for each in found if each is not None]
        return Query.disjunction_max_query(queries, _TIES) if queries else self.term(name, term)

    def _of_related(self, related: Related, name: str, shown: str | None) -> Query | None:
        """Return the query for related terms in a field; None if they cannot be found there."""
        terms: list[Any] = list(related.terms)
        if related.kind is MatchKind.ANY:
            if shown is not None:
                letters = folded_text(shown).replace("ß", "ss")
                return any_of(self.term(name, each) for each in terms if each in letters)
            some = any_of(self.term(name, each) for each in terms)
            return None if some is None else Query.const_score_query(some, related.score)
        if related.kind is MatchKind.NEAR:
            if name.startswith("rest_") or self._having_related(related, name) > _MOST_NEAR:
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

    def term(self, field: str, value: str) -> Query:
        """Return the query for a term of a field."""
        return Query.term_query(self._fields.schema, field, value)


def inverse_frequency(documents: int, having: int) -> float:
    """Return BM25's weight of a term in `having` documents, never below 0 (Robertson & Zaragoza 2009)."""
    return log(1 + (documents - having + 0.5) / (having + 0.5)) if having else 0.0


def _other_forms(words: QueryTerm) -> tuple[str, ...]:
    """Return how a version is written otherwise; nothing for other words, and for phrases and excluded words."""
    form = "" if words.is_phrase or words.is_literal or words.is_prefix else other_form(words.text)
    return (form,) if form else ()


def any_of(queries: Iterable[Query]) -> Query | None:
    """Return the query for documents that match any of some queries; None without queries."""
    clauses = [(Occur.Should, query) for query in queries]
    return Query.boolean_query(clauses) if clauses else None
