"""Answers queries from the folder of an index."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from crawler.apps.search.answers import (
    ORDERS,
    Facet,
    Fragment,
    Hit,
    IndexedRank,
    QueryError,
    Rescue,
    ScorePart,
    SearchAnswer,
)
from crawler.apps.search.corrections import Corrections, corrections
from crawler.apps.search.grouping import BLOCK, last_of_sites, spread_in_blocks
from crawler.apps.search.index.facets import facets
from crawler.apps.search.index.index_folder import IndexFolder, IndexManifest, NoIndex
from crawler.apps.search.index.known_words import KnownWords
from crawler.apps.search.index.read_once import ReadOnce
from crawler.apps.search.query_language import UnderstoodQuery, understand
from crawler.apps.search.ranking import IndexedRanks, RankedHits, RankWeights, best, followed_by
from crawler.apps.search.site_rules import NO_RULES, BadRules, SiteRules, read_rules
from crawler.apps.search.suggestions import Suggestions
from crawler.apps.search.widening import wider_queries
from crawler.settings import SearchSettings
from crawler.urls.hosts import site_of
from storage.reading.opening import NoStore, reading
from storage.search_index.document_store import DocumentStore, DocumentsUnreadable, document_store
from storage.search_index.indexed_text import sites_of
from storage.search_index.terms import IndexUnreadable, SearchTerms
from storage.search_index.values.documents import IndexedDocument
from storage.search_index.values.spellings import is_joined
from storage.search_index.values.term_query import TEXT_FIELDS, Boosts, TermQuery
from storage.store_mark import store_mark

MOST_HITS: Final = 100
"""In one answer."""
MOST_OFFSET: Final = 1_000
"""Nobody pages further; each page costs as much as all before it."""

_TITLE_CHARACTERS: Final = 300
_FEW_HITS: Final = 10
"""If fewer pages than that have all words, pages that lack some are hits, too, and come after them."""
_WINDOW_CHARACTERS: Final = 16_000
_WINDOWS: Final = 8
_ABOUT: Final = 0.5
"""A page that is as likely as that about a topic is about it."""


@dataclass(frozen=True, slots=True)
class _State:
    """What belongs together: it is replaced as a whole when the index was written anew."""

    manifest: IndexManifest
    terms: SearchTerms
    ranks: IndexedRanks
    words: KnownWords
    suggestions: ReadOnce[Suggestions | None]
    stamp: int


@dataclass(frozen=True, slots=True)
class _Found:
    """terms: what was looked for in the end; counted: what finds all hits, of which the first `complete` have all
    words."""

    terms: TermQuery
    counted: TermQuery
    hits: RankedHits
    complete: int


class SearchIndex:
    """An index, open for questions. Safe to be asked by many threads."""

    def __init__(
        self,
        folder: IndexFolder,
        settings: SearchSettings,
        *,
        store: Path | None = None,
        clock: Callable[[], float] = time.time,
        ranks: IndexedRanks | None = None,
    ) -> None:
        """store: where the store should be that it was made of, to say when that has changed; it may be gone.
        ranks: use these instead of the index's own, for experiments. Raises NoIndex, and BadRules if the rules for
        sites cannot be read."""
        self._folder = folder
        self._store = store
        self._settings = settings
        self._clock = clock
        self._given_ranks = ranks
        self._boosts: Boosts = {field: getattr(settings, f"{field}_boost") for field in TEXT_FIELDS}
        self._weights = RankWeights(settings.rank_weight, settings.rank_half, settings.rank_exponent)
        self._rules = rules_in(settings.site_rules)
        self._state = self._opened()

    @classmethod
    def open(cls, directory: Path, settings: SearchSettings | None = None) -> SearchIndex:
        """Raises NoIndex."""
        return cls(IndexFolder(directory), settings or SearchSettings())

    @property
    def manifest(self) -> IndexManifest:
        return self._state.manifest

    def refresh(self) -> bool:
        """Take up what `index` has written since; whether there was anything. Raises NoIndex."""
        if self._stamp() == self._state.stamp:
            return False
        self._state = self._opened()
        return True

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        explain: bool = False,
        grouped: bool = False,
        order: str = "",
        with_facets: bool = False,
        verbatim: bool = False,
    ) -> SearchAnswer:
        """The best pages from the `offset`th on. Raises QueryError, and NoIndex if the index is damaged.

        explain: split the text part of the scores by field, which takes a search more for each field. grouped: no site
        fills a page of results, see `grouping`. order: one of ORDERS. with_facets: count the pages that match.
        verbatim: look for no other spelling if no page has all words.
        """
        if not 1 <= limit <= MOST_HITS or not 0 <= offset <= MOST_OFFSET:
            raise QueryError(f"limit is 1 to {MOST_HITS} and offset 0 to {MOST_OFFSET:,}, not {limit} and {offset}")
        if order not in ORDERS:
            raise QueryError(f"order is {order!r}; it has to be one of {', '.join(map(repr, ORDERS))}")
        began = time.perf_counter()
        state = self._state
        understood = self._understood(state, query)
        notes = [*understood.notes, *self._notes(state.manifest)]
        is_grouped = grouped and not (order or understood.terms.sites)
        depth = offset + limit if not is_grouped else -(-(offset + limit) // BLOCK) * BLOCK
        rescue = None
        if order:
            found = self._newest(state, understood.terms, depth, notes)
        else:
            found, said = self._found(state, understood.terms, depth)
            if not found.complete:
                found, said, rescue = self._rescued(state, query, found, said, depth, verbatim=verbatim)
            notes += said
        answered = rescue.corrected if rescue is not None and rescue.corrected else query
        shown = self._shown(state, found, offset, limit, explain=explain, is_grouped=is_grouped)
        return SearchAnswer(
            query=query,
            hits=shown,
            offset=offset,
            total=found.hits.total,
            is_exact=found.hits.is_exact,
            notes=tuple(notes),
            seconds=time.perf_counter() - began,
            facets=self._facets(state, found, answered) if with_facets else (),
            rescue=rescue,
        )

    def _facets(self, state: _State, found: _Found, query: str) -> tuple[Facet, ...]:
        return tuple(facets(state.terms, state.manifest, found.counted, self._boosts, query))

    def ranking(self, query: str, limit: int = 10) -> RankedHits:
        """Only which pages, without their texts; no word may be missing. Raises QueryError."""
        return self._ranked(self._state, self._understood(self._state, query).terms, limit)

    def text_scores(self, query: str, pages: Sequence[int]) -> dict[int, float]:
        """How well the text of each of these pages answers, whatever words it lacks; pages without any, and those that
        are not in the index, are left out. Raises QueryError."""
        state = self._state
        asked = TermQuery(required=self._understood(state, query).terms.required)
        return state.terms.scores_of(asked, self._boosts, pages)

    def suggest(self, typed: str, *, limit: int = 10) -> list[str]:
        """What begins as typed: titles, headings, words of links and names of code, those of the highest ranks first;
        none if an earlier version made the index. Raises NoIndex if it is damaged."""
        suggestions = self._state.suggestions.value()
        return suggestions.starting_with(typed, limit) if suggestions is not None else []

    def rank_of(self, page: int) -> IndexedRank | None:
        """None if the index has no rank of that page."""
        state = self._state
        place = state.ranks.place_of(page)
        if place is None:
            return None
        times = float(state.ranks.of(np.array([page], np.int64))[0])
        is_of_web = self._settings.rank_source == "web"
        return IndexedRank(place, len(state.ranks), times, is_of_web, state.manifest.estimator)

    # ---------------------------------------------------------------- opening

    def _way_out(self) -> str:
        if os.access(self._folder.path, os.W_OK):
            return "`index --rebuild` makes the index anew"
        return "an index takes locks in its folder: copy it to where you may write, and name the copy with --index"

    def _opened(self) -> _State:
        stamp = self._stamp()
        manifest = self._folder.read_manifest()
        try:
            terms = SearchTerms.open(
                self._folder.terms,
                manifest.languages,
                has_spellings=manifest.knows_names,
                has_facets=manifest.knows_facets,
            )
        except IndexUnreadable as error:
            raise NoIndex(f"{error}; {self._way_out()}") from error
        ranks = self._given_ranks
        if ranks is None:
            ranks = self._folder.read_ranks().get(self._settings.rank_source)
        if ranks is None:
            ranks = IndexedRanks(np.empty(0, np.int64), np.empty(0))
        words, suggestions = KnownWords(self._folder, terms), ReadOnce(self._folder.read_suggestions)
        return _State(manifest, terms, ranks, words, suggestions, stamp)

    def _stamp(self) -> int:
        try:
            return self._folder.manifest.stat().st_mtime_ns
        except OSError:
            return 0

    def _change_of_store(self, manifest: IndexManifest) -> str:
        """What became of the store since the index was made of it; "" if nothing, or if nobody can tell."""
        if self._store is None or manifest.mark is None:
            return ""
        try:
            with reading(self._store) as reports:
                mark = store_mark(reports.connection)
        except NoStore:
            return ""  # an index serves without its store
        if mark.origin != manifest.mark.origin:
            return f"the index was made of another crawl than that in {self._store}"
        return "the crawl has gone on since the index was made" if mark.has_gone_on_since(manifest.mark) else ""

    # ---------------------------------------------------------------- finding

    def _understood(self, state: _State, query: str) -> UnderstoodQuery:
        has = state.terms
        understood = understand(query, now=self._clock(), is_word=has.has_words, is_option=has.has_option)
        terms = understood.terms
        if (terms.types or terms.years or understood.topics) and not state.manifest.knows_facets:
            raise QueryError("type:, year: and topic: need an index that this version has made; `index` makes it anew")
        if understood.topics:
            require_topic(state.manifest.topic, understood.topics)
            terms = replace(terms, least_relevance=_ABOUT)
        return replace(understood, terms=self._rules.applied(terms))

    def _notes(self, manifest: IndexManifest) -> Iterator[str]:
        """What is to be said of the index itself."""
        if not manifest.built_at:
            yield "the index is not complete: its first build has not ended"
        elif not manifest.knows_names:
            yield "an earlier version made the index, without names of code; `index` makes it anew"
        elif not manifest.knows_facets:
            yield "an earlier version made the index, without counts, dates and types; `index` makes it anew"
        elif change := self._change_of_store(manifest):
            yield f"{change}; `index` brings the index up to date"

    def _found(self, state: _State, terms: TermQuery, depth: int) -> tuple[_Found, list[str]]:
        """With notes on what was understood otherwise."""
        notes = []
        hits = self._ranked(state, terms, depth)
        names = [words.text for words in terms.required if is_joined(words.spelling)]
        if not hits.total and names:
            terms = replace(terms, required=tuple(replace(words, spelling="") for words in terms.required))
            hits = self._ranked(state, terms, depth)
            if hits.total:
                notes.append(f"no page has {' and '.join(names)} as it is written; looked for its parts")
        complete = hits.total
        may_lack = sum(words.may_lack for words in terms.required)
        if complete >= _FEW_HITS or may_lack <= 1:
            return _Found(terms, terms, hits, complete), notes
        relaxed = replace(terms, least_words=_enough(may_lack))
        hits = self._with_incomplete(state, relaxed, hits, depth)
        if hits.total > complete:
            notes.append(_relaxed_note(complete, may_lack))
        return _Found(terms, relaxed, hits, complete), notes

    def _rescued(
        self, state: _State, query: str, found: _Found, said: list[str], depth: int, *, verbatim: bool
    ) -> tuple[_Found, list[str], Rescue]:
        """What is answered, with its notes, instead of a query of which no page has all words: that which it was
        corrected to or, if there is no such, the same."""
        answers: dict[str, tuple[_Found, list[str]]] = {}

        def pages_answering(other: str) -> int:
            answers[other] = self._found(state, self._understood(state, other).terms, depth)
            return answers[other][0].complete

        known = Corrections()
        if not state.words.are_there:
            said.append("an earlier version made the index, without words for corrections; `index` adds them")
        elif not verbatim:
            known = corrections(query, state.words, pages_answering)
        if known.queries and known.unknown:
            corrected = known.queries[0].query
            return *answers[corrected], Rescue(corrected, known.queries[1:], known.unknown, ())
        wider = wider_queries(query, pages_answering) if not known.queries else ()
        return found, said, Rescue("", known.queries, known.unknown, wider)

    def _newest(self, state: _State, terms: TermQuery, depth: int, notes: list[str]) -> _Found:
        """The latest first; what bears no date is left out, and no word may be missing."""
        if not state.manifest.knows_facets:
            raise QueryError("an earlier version made the index, without dates; `index` makes it anew")
        hits = state.terms.newest(terms, self._boosts, depth)
        nothing = np.zeros(len(hits.pages))
        notes.append("only pages that bear a date, the latest first")
        ranked = RankedHits(hits.pages, hits.scores, nothing, nothing, hits.total, is_exact=True)
        return _Found(terms, terms, ranked, hits.total)

    def _ranked(self, state: _State, terms: TermQuery, limit: int) -> RankedHits:
        return best(
            lambda count: state.terms.best(terms, self._boosts, count),
            state.ranks,
            self._weights if len(state.ranks) else replace(self._weights, weight=0.0),
            limit,
            first=self._settings.first_candidates,
            most=self._settings.most_candidates,
        )

    def _with_incomplete(self, state: _State, relaxed: TermQuery, complete: RankedHits, limit: int) -> RankedHits:
        """The few pages with all words, and after them those that lack some: whatever their scores are."""
        if len(complete.pages) < complete.total:
            complete = self._ranked(state, replace(relaxed, least_words=None), _FEW_HITS)
        others = replace(relaxed, excluded_pages=tuple(complete.pages.tolist()))
        return followed_by(complete, self._ranked(state, others, limit), limit)

    # ---------------------------------------------------------------- showing

    def _shown(
        self, state: _State, found: _Found, offset: int, limit: int, *, explain: bool, is_grouped: bool
    ) -> tuple[Hit, ...]:
        terms, hits = found.terms, found.hits
        if offset >= len(hits.pages):
            return ()
        try:
            with document_store(self._folder.documents) as store:
                places, followed = self._places(store, found, offset, limit, is_grouped=is_grouped)
                pages = [int(hits.pages[place]) for place in places]
                documents = store.documents(pages)
        except DocumentsUnreadable as error:
            raise NoIndex(f"{error}; {self._way_out()}") from error
        by_field = self._by_field(state, terms, pages) if explain else {}
        incomplete = [page for place, page in zip(places, pages, strict=True) if place >= found.complete]
        lacking = self._lacking(state, terms, incomplete)
        shown = []
        for place, page in zip(places, pages, strict=True):
            document = documents.get(page)
            if document is not None:
                rules = self._rules.of(sites_of(document.url, document.host, site_of(document.host)))
                parts = self._parts(state, hits, place, by_field.get(page), rules)
                hit = self._hit(state, terms, document, sum(part.value for part in parts), parts, lacking.get(page, ()))
                shown.append(replace(hit, is_last_of_site=place in followed))
        return tuple(shown)

    def _places(
        self, store: DocumentStore, found: _Found, offset: int, limit: int, *, is_grouped: bool
    ) -> tuple[list[int], set[int]]:
        """Which of the hits are to be shown, best first; and the last of their sites, of which more made way."""
        end = min(offset + limit, len(found.hits.pages))
        if not is_grouped:
            return list(range(offset, end)), set()
        begin = offset // BLOCK * BLOCK
        pages = [int(page) for page in found.hits.pages[begin:]]
        hosts = store.hosts(pages)
        sites = [site_of(hosts.get(page, "")) for page in pages]
        order = spread_in_blocks(sites, found.complete - begin)
        shown = order[offset - begin : end - begin]
        last = last_of_sites(sites, shown, order[end - begin :])
        return [begin + place for place in shown], {begin + place for place in last}

    def _hit(
        self,
        state: _State,
        terms: TermQuery,
        document: IndexedDocument,
        score: float,
        parts: Sequence[ScorePart],
        lacks: tuple[str, ...],
    ) -> Hit:
        def highlighted(text: str, field: str, most: int | None = None) -> tuple[Fragment, ...]:
            pieces = state.terms.highlighted(terms, text, field, document.language, most)
            return tuple(Fragment(text, is_match) for text, is_match in pieces)

        title = _cut(document.title, _TITLE_CHARACTERS)
        size = self._settings.snippet_characters
        passages = (highlighted(part, "body", size) for part in _windows(document.text))
        snippet = next(filter(None, passages), ()) or highlighted(document.description, "description", size)
        return Hit(
            page=document.page,
            url=document.url,
            title=highlighted(title, "title") or _plain(title),
            snippet=snippet or _plain(_beginning(document.description or document.text, size)),
            host=document.host,
            language=document.language,
            fetched_at=document.fetched_at,
            score=score,
            parts=tuple(parts),
            copies=len(document.copies),
            lacks=lacks,
            dated=document.dated,
            site=site_of(document.host),
        )

    def _parts(
        self,
        state: _State,
        hits: RankedHits,
        place: int,
        by_field: dict[str, float] | None,
        rules: Sequence[tuple[str, float]],
    ) -> list[ScorePart]:
        added = sum(add for _, add in rules)
        text = float(hits.text_scores[place]) - self._rules.taken_away - added
        rank = float(hits.rank_parts[place])
        of_sites = [ScorePart("site rule", add, f"{site}, as the file search.site_rules has it") for site, add in rules]
        detail = self._rank_detail(state, float(hits.ranks[place]))
        if by_field is None:
            return [ScorePart("text", text, "BM25"), ScorePart("rank", rank, detail), *of_sites]
        parts = [
            ScorePart(field, score, f"BM25, times {self._boosts[field]:g}")
            for field, score in sorted(by_field.items(), key=lambda item: -item[1])
        ]
        rounding = text - sum(by_field.values())
        return [*parts, ScorePart("rank", rank, detail), *of_sites, ScorePart("rounding", rounding, "of 32-bit sums")]

    def _rank_detail(self, state: _State, rank: float) -> str:
        source, weights = self._settings.rank_source, self._weights
        if not len(state.ranks):
            return "PageRank is not to count" if source == "none" else "the index has no PageRank"
        whose = "as the web sees it" if source == "web" else "as the site sees itself"
        return (
            f"PageRank {whose}, S = {rank:.3g} times the average:"
            f" {weights.weight:g} S^a / ({weights.half:g}^a + S^a), a = {weights.exponent:g}"
        )

    def _lacking(self, state: _State, terms: TermQuery, pages: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """Which words each of these pages does not have; they all have what was insisted on."""
        if not pages:
            return {}
        asked = [words for words in terms.required if words.may_lack]
        having = [state.terms.scores_of(TermQuery(required=(words,)), self._boosts, pages) for words in asked]
        return {
            page: tuple(words.label for words, found in zip(asked, having, strict=True) if page not in found)
            for page in pages
        }

    def _by_field(self, state: _State, terms: TermQuery, pages: Sequence[int]) -> dict[int, dict[str, float]]:
        found: dict[int, dict[str, float]] = {page: {} for page in pages}
        for field, boost in self._boosts.items():
            for page, score in state.terms.scores_of(terms, {field: boost}, pages).items():
                if score:
                    found[page][field] = score
        return found


def require_topic(known: str, asked: Sequence[str]) -> None:
    """Raises QueryError unless it is the topic that the pages of the index were judged by."""
    for name in asked:
        if not known:
            raise QueryError(f"topic:{name[:40]}: no page was judged; `topic judge` does that, then `index`")
        if name.casefold() != known.casefold():
            raise QueryError(f"topic:{name[:40]} is not the topic of these pages, which is {known}")


def rules_in(path: str) -> SiteRules:
    """Raises BadRules."""
    if not path:
        return NO_RULES
    try:
        return read_rules(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadRules(f"the rules for sites in {path} cannot be read: {error}") from error
    except BadRules as error:
        raise BadRules(f"the rules for sites in {path} cannot be used: {error}") from None


def _windows(text: str) -> Iterator[str]:
    """Long texts piece by piece: a passage of the first piece that has one will do, and takes a millisecond."""
    for start in range(0, min(len(text), _WINDOWS * _WINDOW_CHARACTERS), _WINDOW_CHARACTERS):
        yield text[start : start + _WINDOW_CHARACTERS]


def _enough(words: int) -> int:
    """Of so many words, when few pages have all."""
    return max(1, (2 * words) // 3)


def _relaxed_note(found: int, words: int) -> str:
    have = {0: "no page has", 1: "only one page has"}.get(found, f"only {found} pages have")
    every = "both words" if words == 2 else f"all {words} words"
    return f"{have} {every}, so pages that lack some {'follow' if found else 'are shown'}"


def _plain(text: str) -> tuple[Fragment, ...]:
    return (Fragment(text, False),) if text else ()


def _beginning(text: str, size: int) -> str:
    return _cut(" ".join(text[: 4 * size].split()), size)


def _cut(text: str, size: int) -> str:
    """Up to `size` characters, not cut within a word unless it is very long or of a script without spaces."""
    if len(text) <= size:
        return text
    words = text[:size].rpartition(" ")[0]
    return f"{words} …" if len(words) > size // 2 else f"{text[:size]}…"


