"""Finds where a query matches texts, for the snippet, the title and the section of a hit."""

from __future__ import annotations

from typing import Any

import tantivy

from hinterland.search.sections import folded_word
from hinterland.search.store.fields import IndexFields
from hinterland.search.store.highlighting import Pieces, highlight
from hinterland.search.store.query_builder import QueryBuilder
from hinterland.search.store.related_terms import RelatedTerms
from hinterland.search.store.term_text import restored
from hinterland.search.store.values.term_query import TermQuery


class QueryMatches:
    """Finds the matches of one query in texts. What it needs for the texts of a language is prepared only once."""

    def __init__(
        self,
        query: TermQuery,
        searcher: tantivy.Searcher,
        fields: IndexFields,
        queries: QueryBuilder,
        related: RelatedTerms,
    ) -> None:
        """Start with a query and an open index."""
        self._query = query
        self._searcher = searcher
        self._fields = fields
        self._queries = queries
        self._related = related
        self._generators = dict[str, Any]()
        self._beginnings = dict[str, dict[str, float]]()

    def highlighted(self, text: str, field: str, language: str, most_characters: int | None = None) -> Pieces:
        """Return the passage of a text that matches best; empty if the text has no word of the query.

        `most_characters` is the approximate length of the passage; None selects the whole text.
        """
        if not text:
            return ()
        name = self._fields.name(field, language)
        generator = self._generators.get(name)
        if generator is None:
            found = self._queries.in_field(self._query, field, language, text)
            if found is None:
                return ()
            generator = tantivy.SnippetGenerator.create(self._searcher, found, self._fields.schema, name)
            if not self._related.are_in(name):  # else the query depends on the text
                self._generators[name] = generator
        return highlight(generator, name, text, most_characters)

    def beginnings(self, language: str) -> dict[str, float]:
        """Return the beginnings of the required words and identifiers in texts of a language, with their weights.

        See `search.sections`. An identifier as spelt weighs as much as all its parts. A function word weighs nothing,
        but is included because it makes a heading more like the query.
        """
        if language not in self._beginnings:
            self._beginnings[language] = self._found_beginnings(language)
        return self._beginnings[language]

    def _found_beginnings(self, language: str) -> dict[str, float]:
        found = dict[str, float]()
        for word in self._query.function_words:
            found |= dict.fromkeys(map(folded_word, self._fields.tokens(word, language)), 0.0)
        for term in self._query.required:
            for each in (term, *term.others):
                tokens = [self._related.noun_of(each, token) for token in self._fields.tokens(each.text, language)]
                written = map(restored, tokens)
                words = [folded_word(word) for word in written if word != "."]  # the first of the words of .NET
                found |= dict.fromkeys(words, 1.0)
                if each.spelling and len(words) > 1:
                    found[each.spelling] = float(len(words))
        return found
