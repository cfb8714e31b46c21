"""Builds tantivy queries for what the words of a query name together or beside others: titles, home pages, sites."""

from __future__ import annotations

from typing import Final

from tantivy import Query

from hinterland.search.store.fields import IndexFields
from hinterland.search.store.values.spellings import is_joined
from hinterland.search.store.values.term_query import NAMES, Boosts, QueryTerm, TermQuery
from hinterland.search.store.word_queries import WordQueries

_TITLE: Final = 2.5
"""The additional score of titles with all words of a query, as a multiple of the BM25 of these words."""
_IN_A_ROW: Final = 1.0
"""The additional score of names with all words of a query in order, as a multiple of the rarity of these words."""
_HOME: Final = (40.0, 20.0, 10.0)
"""The additional score of the home page of a site that a query names, by the depth of the page."""
_OF_SITE: Final = 8.0
"""The additional score of the pages of a site that a word of a longer query names, as in `indexes in PostgreSQL`."""
_MOST_OF_HOME: Final = 4
"""Longer queries are not taken for the name of a site."""


class NamedByQuery:
    """Builds queries that only add to the scores of pages, because the query names them or their site."""

    def __init__(self, fields: IndexFields, words: WordQueries) -> None:
        """Start with the fields of an index and the queries for its words."""
        self._fields = fields
        self._words = words

    def by_whole_names(self, query: TermQuery, boosts: Boosts) -> list[Query]:
        """Return the queries for pages whose names have all words of the query.

        These pages have all words in their title, or have them in order in a title, a heading or the text of a link.
        Function words count only in a title that has all of them and all other words. Returns [] if all words are
        identifiers, because these are best found where they are defined.
        """
        boost, words = boosts.get(NAMES, 0.0), query.required
        if boost <= 0 or not any(map(is_plain, words)) or not all(map(_may_be_named, words)):
            return []
        languages, function_words = self._fields.stemmings, tuple(map(QueryTerm, query.function_words))
        titles = [(_TITLE, self._words.all_in(words, "title", language)) for language in languages]
        if function_words:
            titles += [(_TITLE, self._words.all_in(function_words, "title", each, words)) for each in languages]
        rows = [(_IN_A_ROW, self._words.in_a_row(words, NAMES, language)) for language in languages]
        return [Query.boost_query(each, share * boost) for share, each in (*titles, *rows) if each is not None]

    def by_home_pages(self, query: TermQuery) -> list[Query]:
        """Return the queries for the home page of the site that the words name together."""
        asked = query.required
        if not asked or len(asked) > _MOST_OF_HOME or not all(map(is_plain, asked)):
            return []
        found = self._words.home_page(asked, _HOME)
        return [] if found is None else [found]

    def by_sites(self, query: TermQuery) -> list[Query]:
        """Return the queries for the pages of the sites that single words of the query name."""
        return [Query.const_score_query(each, _OF_SITE) for each in self.sites(query).values()]

    def sites(self, query: TermQuery) -> dict[QueryTerm, Query]:
        """Return the words of the query that name sites, and queries for the pages of these sites.

        A query of a single word, or of identifiers besides it, is about the word itself.
        """
        words = [each for each in query.required if is_plain(each)]
        found = {each: self._words.named_site(each) for each in words} if len(words) > 1 else {}
        return {each: site for each, site in found.items() if site is not None}


def _may_be_named(words: QueryTerm) -> bool:
    return not (words.field or words.is_phrase or words.others or words.is_prefix)


def is_plain(words: QueryTerm) -> bool:
    """Return whether these are words that the user did not restrict, and no identifier with joints."""
    return _may_be_named(words) and not is_joined(words.spelling)
