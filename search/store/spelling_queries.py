"""Builds the tantivy queries for identifiers as they are spelt, and for members of classes and modules."""

from __future__ import annotations

from tantivy import Occur, Query

from hinterland.search.store.field_queries import FieldQueries, Terms, any_of
from hinterland.search.store.fields import SPELLINGS, spelt_in
from hinterland.search.store.term_statistics import TermStatistics
from hinterland.search.store.values.spellings import is_joined
from hinterland.search.store.values.term_query import DEFINITIONS, QueryTerm


class SpellingQueries:
    """Builds queries for the identifiers of an index."""

    def __init__(self, statistics: TermStatistics, in_fields: FieldQueries) -> None:
        """Start with the statistics of an index and the queries for its fields."""
        self._statistics = statistics
        self._in_fields = in_fields

    def as_spelt(self, words: QueryTerm, terms: Terms, field: str, boost: float) -> list[Query]:
        """Return queries for an identifier as spelt in one text field.

        The score is the rarity of the identifier. It does not depend on how often the identifier occurs or on the
        length of the text, since a page that describes hundreds of names describes each of them. In titles and main
        contents, BM25 for the sequence of the identifier's parts is added.
        """
        spelt = spelt_in(field, words.spelling)
        if words.is_prefix:
            return self.names_beginning(words, spelt, boost)
        rarity = self._statistics.rarity(spelt)
        if not rarity:
            return []
        is_here = Query.const_score_query(self._in_fields.term(SPELLINGS, spelt), boost * rarity)
        if not is_joined(words.spelling):  # its only part is itself
            return [is_here] if field == DEFINITIONS else []
        rows = self._in_fields.in_languages(words, terms, field) if field in ("title", "body") else ()
        whole = [(Occur.Should, Query.boost_query(each, boost)) for each in rows]
        return [Query.boolean_query([(Occur.Must, is_here), *whole])]

    def names_beginning(self, words: QueryTerm, spelt: str, boost: float) -> list[Query]:
        """Return the query for identifiers with this beginning; [] if there are none or the word is complete."""
        names = self._statistics.beginning(SPELLINGS, spelt) if words.is_prefix else ()
        if not names:
            return []
        named = Query.boolean_query([(Occur.Should, self._in_fields.term(SPELLINGS, name)) for name in names])
        return [Query.const_score_query(named, boost * self._statistics.rarity(names[0]))]

    def of_member(self, owner: str, member: str, boost: float) -> list[Query]:
        """Return the query for pages about a class or module that define its member; [] if no page does.

        Such a page names the class or module in its title. Its score is that of a definition of the whole name, even if
        the page defines many other members.
        """
        spelt = spelt_in(DEFINITIONS, member.casefold())
        rarity = self._statistics.rarity(spelt)
        named = QueryTerm(owner, "title")
        about = any_of(self._in_fields.in_languages(named, self._in_fields.terms(named), "title"))
        if not rarity or about is None:
            return []
        defines = Query.const_score_query(self._in_fields.term(SPELLINGS, spelt), boost * rarity)
        return [Query.boolean_query([(Occur.Must, Query.const_score_query(about, 0.0)), (Occur.Must, defines)])]
