"""Retrieval: finds the pages that answer a query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hinterland.search.answers import QueryError, Rescue
from hinterland.search.corrections import QueryCorrections, corrections
from hinterland.search.index.opened_index import OpenedIndex
from hinterland.search.index.scoring import Scoring
from hinterland.search.query_language import UnderstoodQuery, understand
from hinterland.search.ranking import RankedHits, best, followed_by
from hinterland.search.store.values.spellings import is_joined
from hinterland.search.store.values.term_query import WORDS, TermQuery
from hinterland.search.widening import wider_queries
from hinterland.storage.values.topics import RELEVANT

FEW_HITS: Final = 10
"""If fewer pages than this have all words, pages that lack some are hits too and come after them."""
_LEAST_SOFT: Final = 3
"""Pages may always lack words of a sentence with this many words or more; scores decide."""
_LEAST_SOFT_PLAIN: Final = 4
"""The same for a query that is not a sentence. With fewer words, all are required unless few pages have all."""
_OF_PAGES: Final = (WORDS, "rest", "title", "body")


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The result of a query.

    `terms` is the query that was finally searched for. `counted` is a query that finds all hits. The first `complete`
    hits have all words.
    """

    terms: TermQuery
    counted: TermQuery
    hits: RankedHits
    complete: int


@dataclass(frozen=True, slots=True)
class FullMatches:
    """The pages with all words, the query that was searched for, and notes."""

    terms: TermQuery
    hits: RankedHits
    said: list[str]


class Retrieval:
    """Finds the pages of an index."""

    def __init__(self, opened: OpenedIndex, scoring: Scoring, clock: Callable[[], float]) -> None:
        """Start with an open index; `clock` returns epoch seconds, for relative dates in queries."""
        self._opened = opened
        self._scoring = scoring
        self._clock = clock

    def understood(self, query: str) -> UnderstoodQuery:
        """Parse a query for this index and apply the site rules.

        Raises QueryError.
        """
        has = self._opened.terms
        understood = understand(
            query,
            now=self._clock(),
            is_word=has.has_words,
            is_option=has.statistics.has_spelling,
            function_words=has.function_words,
        )
        terms = understood.terms
        if understood.topics:
            _require_topic(self._opened.manifest.topic, understood.topics)
            terms = replace(terms, least_relevance=RELEVANT)
        return replace(understood, terms=self._scoring.rules.applied(terms))

    def answered(
        self, query: str, terms: TermQuery, depth: int, *, verbatim: bool = False
    ) -> tuple[Retrieved, list[str], Rescue | None]:
        """Answer a query; return the result, notes, and alternatives if no page has all words.

        `terms` is the parsed query. With `verbatim`, the query is never replaced by a correction.
        """
        written = self.complete(terms, depth)
        if written.hits.total:
            return *self.with_others(written, depth), None
        known, answers, said = QueryCorrections(), dict[str, FullMatches](), list[str]()
        will_answer = not self._opened.terms.has_all(terms)

        def pages_answering(others: Sequence[str]) -> Sequence[int]:
            if answers or not will_answer:
                return self._pages_answering(others)
            [likeliest] = others
            answers[likeliest] = self.complete(self.understood(likeliest).terms, depth)
            return [answers[likeliest].hits.total]

        if not self._opened.words.are_there:
            said = ["an earlier version built the index, without words for corrections; run `index` to add them"]
        elif not verbatim:
            known = corrections(query, self._opened.words, pages_answering)
        if known.queries and known.unknown:
            first = known.queries[0].query
            answer = answers.get(first) or self.complete(self.understood(first).terms, depth)
            return *self.with_others(answer, depth), Rescue(first, known.queries[1:], known.unknown, ())
        found, notes = self.with_others(written, depth)
        corrected = known.likeliest or (known.queries[0].query if known.queries and not found.hits.total else "")
        if corrected:
            instead, notes_instead = self.with_others(self.complete(self.understood(corrected).terms, depth), depth)
            if instead.hits.total:
                return instead, notes_instead, Rescue(corrected, known.queries[1:], known.unknown, ())
        wider = wider_queries(query, lambda other: self._pages_answering([other])[0]) if not known.queries else ()
        return found, [*said, *notes], Rescue("", known.queries, known.unknown, wider)

    def complete(self, terms: TermQuery, depth: int) -> FullMatches:
        """Return the pages that have all words of a query.

        If no page has the identifiers as written, the parts of the identifiers are searched for.
        """
        hits = self._with_all(terms, depth)
        names = _names(terms)
        if hits.total or not names or not self._opened.terms.has_all(terms):
            return FullMatches(terms, hits, [])
        terms = _by_parts(terms)
        hits = self._with_all(terms, depth)
        note = f"no page has {' and '.join(names)} as written; searched for its parts"
        return FullMatches(terms, hits, [note] if hits.total else [])

    def with_others(self, having_all: FullMatches, depth: int, elsewhere: int = 0) -> tuple[Retrieved, list[str]]:
        """If few pages have all words, append pages that lack some of them.

        `elsewhere` is the number of pages of other indexes that have all words.
        """
        terms, hits, said = having_all.terms, having_all.hits, having_all.said
        complete = hits.total
        may_lack = sum(words.may_lack for words in terms.required)
        is_soft = _is_soft(terms)
        if is_soft or (may_lack >= _LEAST_SOFT and complete + elsewhere < FEW_HITS):
            if (soft := self._soft(having_all, may_lack, depth)) is not None:
                return soft
            hits = self.ranked(terms, depth) if is_soft else hits
        if complete + elsewhere >= FEW_HITS or may_lack <= 1:
            return Retrieved(terms, terms, hits, complete), said
        relaxed = replace(terms, least_words=_enough(may_lack))
        hits = self._with_incomplete(relaxed, hits, depth)
        notes = [*said, _relaxed_note(complete, may_lack)] if hits.total > complete else said
        return Retrieved(terms, relaxed, hits, complete), notes

    def _with_all(self, terms: TermQuery, depth: int) -> RankedHits:
        """Return the pages with all words.

        If `_soft` will rank them together with pages that lack words, only their number is returned.
        """
        if not _is_soft(terms):
            return self.ranked(terms, depth)
        [total] = self._opened.terms.count_each([terms], self._scoring.boosts)
        nothing = np.zeros(0)
        return RankedHits(np.zeros(0, np.int64), nothing, nothing, nothing, total, is_exact=True)

    def _soft(self, having_all: FullMatches, words: int, depth: int) -> tuple[Retrieved, list[str]] | None:
        """Return the pages that have at least a third of the words, best first; for queries of three or more words.

        Returns None if no page does. Words that occur only outside the main content do not count.
        """
        terms = replace(having_all.terms, least_words=-(-words // 3), is_soft=True)
        hits = self.ranked(terms, depth)
        if hits.total < max(having_all.hits.total, 1):
            return None
        complete = having_all.hits.total
        notes = [_relaxed_note(complete, words, by_score=True)] if complete < min(FEW_HITS, hits.total) else []
        return Retrieved(terms, terms, hits, 0), [*having_all.said, *notes]

    def _pages_answering(self, queries: Sequence[str]) -> Sequence[int]:
        """Return the number of pages with all words of each query.

        Identifiers are searched for as written or, if no page has them, by their parts. Only titles and texts are
        searched: this takes a third of the time, and only misses words that occur in links alone.
        """
        asked = [self._answerable(self.understood(query).terms) for query in queries]
        fields = {*_OF_PAGES, *(words.field for terms in asked for words in terms.required)}
        boosts = {field: boost for field, boost in self._scoring.boosts.items() if field in fields}
        return self._opened.terms.count_each(asked, boosts)

    def _answerable(self, terms: TermQuery) -> TermQuery:
        has = self._opened.terms.statistics.has_spelling
        return terms if all(map(has, _names(terms))) else _by_parts(terms)

    def newest(self, terms: TermQuery, depth: int) -> tuple[Retrieved, list[str]]:
        """Return the latest pages first.

        Pages that lack a word or a date are left out.
        """
        hits = self._opened.terms.newest(terms, self._scoring.boosts, depth)
        nothing = np.zeros(len(hits.pages))
        ranked = RankedHits(hits.pages, hits.scores, nothing, nothing, hits.total, is_exact=True)
        return Retrieved(terms, terms, ranked, hits.total), ["only pages with a date, the latest first"]

    def ranked(self, terms: TermQuery, limit: int) -> RankedHits:
        """Return the best matching pages."""
        return best(
            self._opened.terms.by_score(terms, self._scoring.boosts),
            self._opened.ranks,
            self._scoring.weights if len(self._opened.ranks) else replace(self._scoring.weights, weight=0.0),
            limit,
            first=self._scoring.candidates.first,
            most=self._scoring.candidates.most,
        )

    def _with_incomplete(self, relaxed: TermQuery, complete: RankedHits, limit: int) -> RankedHits:
        """Return the pages with all words, followed by pages that lack some words, whatever their scores."""
        if len(complete.pages) < complete.total:
            complete = self.ranked(replace(relaxed, least_words=None), FEW_HITS)
        others = replace(relaxed, excluded_pages=tuple(complete.pages.tolist()))
        return followed_by(complete, self.ranked(others, limit), limit)


def _is_soft(terms: TermQuery) -> bool:
    """Return whether pages that lack words are always ranked together with pages that have all words."""
    words = sum(words.may_lack for words in terms.required)
    return words >= (_LEAST_SOFT if terms.function_words else _LEAST_SOFT_PLAIN)


def _names(terms: TermQuery) -> list[str]:
    """Return the identifiers in a query, as the user wrote them."""
    return [words.text for words in terms.required if is_joined(words.spelling)]


def _by_parts(terms: TermQuery) -> TermQuery:
    """Return the query with each identifier replaced by its parts."""
    return replace(terms, required=tuple(replace(words, spelling="") for words in terms.required))


def _require_topic(known: str, asked: Sequence[str]) -> None:
    """Raise QueryError unless `asked` is the topic by which the pages of the index were judged."""
    for name in asked:
        if not known:
            raise QueryError(f"topic:{name[:40]}: no page has been judged; run `topic judge`, then `index`")
        if name.casefold() != known.casefold():
            raise QueryError(f"topic:{name[:40]} is not the topic of these pages; their topic is {known}")


def _enough(words: int) -> int:
    """Return how many of `words` words a page must contain if few pages contain all."""
    return max(1, (2 * words) // 3)


def _relaxed_note(found: int, words: int, *, by_score: bool = False) -> str:
    have = {0: "no page has", 1: "only one page has"}.get(found, f"only {found} pages have")
    every = "both words" if words == 2 else f"all {words} words"
    others = "are shown" if not found else "are shown, too" if by_score else "follow"
    return f"{have} {every}, so pages that lack some {others}"
