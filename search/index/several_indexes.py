"""Searches the indexes of several stores as one.

Words are weighted by their rarity in all indexes together, and PageRank is measured in multiples of each index's
average. Pages with all words of the query come first, from whichever index. Counts are summed, and no site fills a page
of results by itself. A query is corrected only if no index has a page with all of its words.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final

from hinterland.crawler.urls.hosts import site_of
from hinterland.search.answers import Facet, Hit, IndexedRank, OtherQuery, Rescue, SearchAnswer
from hinterland.search.corrections import MOST_CORRECTIONS
from hinterland.search.grouping import last_of_sites, spread_in_blocks
from hinterland.search.index.facets import facets
from hinterland.search.index.opened_index import OpenedIndex
from hinterland.search.index.retrieval import Retrieval, Retrieved
from hinterland.search.index.searcher import SearchIndex, depth_of, require_bounds
from hinterland.search.query_language import UnderstoodQuery
from hinterland.search.store.document_store import DocumentStore
from hinterland.search.store.term_index import TermIndex
from hinterland.search.store.values.term_query import Boosts, FieldCounts, TermQuery
from hinterland.search.suggestions import folded

_MOST_WIDER: Final = 6


@dataclass(frozen=True, slots=True)
class _Member:
    """One of the indexes in its current state."""

    index: SearchIndex
    state: OpenedIndex
    retrieval: Retrieval

    @property
    def name(self) -> str:
        """The store's name, as shown with its hits."""
        return str(self.index.store or self.state.manifest.store)


@dataclass(frozen=True, slots=True)
class _Answered:
    """The results of all members, in the order of the members; `query` is the query that was finally searched for."""

    query: str
    found: Sequence[Retrieved]
    said: Sequence[str]
    rescue: Rescue | None


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A hit, as the number of its index among the indexes and its position among the hits of that index."""

    member: int
    place: int


class SeveralIndexes:
    """Several indexes, searched as one. Thread-safe."""

    def __init__(self, indexes: Sequence[SearchIndex]) -> None:
        """Start with two or more indexes.

        Methods that take a page concern the first index.
        """
        self._indexes = indexes
        self._weighed: tuple[TermIndex, ...] = ()

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
        marks_titles: bool = True,
    ) -> SearchAnswer:
        """Search all indexes; see `SearchIndex.search`.

        Each hit names its store. Raises QueryError, and NoIndex if an index is damaged.
        """
        require_bounds(limit, offset, order)
        began = time.perf_counter()
        members = self._members()
        understood = [member.retrieval.understood(query) for member in members]
        is_grouped = grouped and not (order or understood[0].terms.sites)
        depth = depth_of(limit, offset, is_grouped=is_grouped)
        if order:
            newest = [m.retrieval.newest(u.terms, depth) for m, u in zip(members, understood, strict=True)]
            answered = _Answered(query, [found for found, _ in newest], newest[0][1], None)
        else:
            answered = _answered(members, query, understood, depth, verbatim=verbatim)
        with ExitStack() as opened:
            documents = [opened.enter_context(member.index.documents()) for member in members]
            hits = _shown(
                members=members,
                documents=documents,
                found=answered.found,
                order=order,
                offset=offset,
                limit=limit,
                explain=explain,
                is_grouped=is_grouped,
                marks_titles=marks_titles,
            )
        notes = [*(note for each in understood for note in each.notes), *_notes(members), *answered.said]
        return SearchAnswer(
            query=query,
            hits=hits,
            offset=offset,
            total=sum(found.hits.total for found in answered.found),
            is_exact=all(found.hits.is_exact for found in answered.found),
            notes=tuple(dict.fromkeys(notes)),
            seconds=time.perf_counter() - began,
            facets=_facets(members, answered) if with_facets else (),
            rescue=answered.rescue,
        )

    def suggest(self, typed: str, *, limit: int = 10) -> list[str]:
        """Return the first suggestion of each index, then the second of each, and so on."""
        rows = zip_longest(*(index.suggest(typed, limit=limit) for index in self._indexes))
        phrases = {folded(phrase): phrase for row in rows for phrase in reversed(row) if phrase is not None}
        return list(phrases.values())[:limit]

    def rank_of(self, page: int) -> IndexedRank | None:
        """Return the rank of a page of the first index."""
        return self._indexes[0].rank_of(page)

    def main_content(self, page: int) -> str | None:
        """Return the main content of a page of the first index."""
        return self._indexes[0].main_content(page)

    def matched_words(self, query: str, page: int, text: str) -> Collection[str]:
        """Return the words of a text that match the query, as the first index finds them."""
        return self._indexes[0].matched_words(query, page, text)

    def _members(self) -> list[_Member]:
        """Return the indexes in their current state, with words weighted by their rarity in all indexes together."""
        for index in self._indexes:
            index.refresh()
        states = [index.state for index in self._indexes]
        together = tuple(state.terms for state in states)
        if together != self._weighed:
            for terms in together:
                terms.statistics.weigh_together([each.statistics for each in together])
            self._weighed = together
        return [
            _Member(index, state, index.retrieval(state)) for index, state in zip(self._indexes, states, strict=True)
        ]


# --- which pages --------------------------------------------------------------------------------


def _answered(
    members: Sequence[_Member], query: str, understood: Sequence[UnderstoodQuery], depth: int, *, verbatim: bool
) -> _Answered:
    rescue = None
    complete = [m.retrieval.complete(each.terms, depth) for m, each in zip(members, understood, strict=True)]
    if not any(each.hits.total for each in complete):
        rescue = _rescue(members, query, understood, depth, verbatim=verbatim)
        if rescue.corrected:
            query = rescue.corrected
            complete = [m.retrieval.complete(m.retrieval.understood(query).terms, depth) for m in members]
    total = sum(each.hits.total for each in complete)
    found = [
        m.retrieval.with_others(each, depth, total - each.hits.total) for m, each in zip(members, complete, strict=True)
    ]
    return _Answered(query, [each for each, _ in found], [note for _, said in found for note in said], rescue)


def _rescue(
    members: Sequence[_Member], query: str, understood: Sequence[UnderstoodQuery], depth: int, *, verbatim: bool
) -> Rescue:
    """Merge the alternative queries that the members offer.

    A correction replaces the query only if no member has any of the corrected words.
    """
    ways, totals = [], Counter[str]()
    for member, each in zip(members, understood, strict=True):
        found, _, rescue = member.retrieval.answered(query, each.terms, depth, verbatim=verbatim)
        if rescue is not None:
            ways.append(rescue)
            if rescue.corrected:
                totals[rescue.corrected] += found.hits.total
    unknown = [word for word in ways[0].unknown if all(word in way.unknown for way in ways)]
    certain = [way.corrected for way in ways if way.corrected and set(way.unknown) <= set(unknown)]
    corrected = max(certain, key=totals.__getitem__, default="")
    for way in ways:
        totals.update({other.query: other.pages for other in way.corrections})
    others = _most({text: pages for text, pages in totals.items() if text != corrected}.items(), MOST_CORRECTIONS)
    wider = Counter[str]()
    for way in ways:
        wider.update({other.query: other.pages for other in way.wider})
    return Rescue(corrected, others, tuple(unknown), () if corrected or others else _most(wider.items(), _MOST_WIDER))


def _most(queries: Iterable[tuple[str, int]], most: int) -> tuple[OtherQuery, ...]:
    best = sorted(queries, key=lambda each: -each[1])[:most]
    return tuple(OtherQuery(text, pages) for text, pages in best)


# --- in which order -----------------------------------------------------------------------------


def _shown(
    members: Sequence[_Member],
    documents: Sequence[DocumentStore],
    found: Sequence[Retrieved],
    order: str,
    offset: int,
    limit: int,
    explain: bool,
    is_grouped: bool,
    marks_titles: bool,
) -> tuple[Hit, ...]:
    ranked = _by_date(found, documents) if order else _by_score(found)
    places, followed = list(range(len(ranked)))[offset : offset + limit], set[int]()
    if is_grouped:
        sites = _sites(ranked, found, documents)
        complete = sum(each.place < found[each.member].complete for each in ranked)
        spread = spread_in_blocks(sites, complete)
        places = spread[offset : offset + limit]
        followed = last_of_sites(sites, places, spread[offset + limit :])
    hits: dict[_Ranked, Hit] = {}
    for number, member in enumerate(members):
        own = [ranked[place].place for place in places if ranked[place].member == number]
        view = member.index.view(member.state, documents[number], marks_titles=marks_titles)
        hits |= {_Ranked(number, place): hit for place, hit in view.hits_at(found[number], own, explain=explain)}
    return tuple(
        replace(hits[ranked[place]], store=members[ranked[place].member].name, is_last_of_site=place in followed)
        for place in places
        if ranked[place] in hits
    )


def _by_score(found: Sequence[Retrieved]) -> list[_Ranked]:
    """Order hits by score, but hits with all words come first."""
    keys = [
        (place >= each.complete, -float(score), member, place)
        for member, each in enumerate(found)
        for place, score in enumerate(each.hits.scores)
    ]
    return [_Ranked(member, place) for _, _, member, place in sorted(keys)]


def _by_date(found: Sequence[Retrieved], documents: Sequence[DocumentStore]) -> list[_Ranked]:
    """Order hits by date, the latest first."""
    keys = []
    for member, (each, store) in enumerate(zip(found, documents, strict=True)):
        pages = each.hits.pages.tolist()
        dates = store.dates(pages)
        keys += [(-dates.get(page, 0.0), member, place) for place, page in enumerate(pages)]
    return [_Ranked(member, place) for _, member, place in sorted(keys)]


def _sites(ranked: Sequence[_Ranked], found: Sequence[Retrieved], documents: Sequence[DocumentStore]) -> list[str]:
    pages = [each.hits.pages.tolist() for each in found]
    hosts = [store.hosts(of_one) for store, of_one in zip(documents, pages, strict=True)]
    return [site_of(hosts[each.member].get(pages[each.member][each.place], "")) for each in ranked]


# --- facets and notes ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _CountsOfAll:
    """The summed counts of several indexes; `counted` holds, for each index, the query that finds its hits."""

    counted: Sequence[tuple[TermIndex, TermQuery]]

    def counts(self, query: TermQuery, boosts: Boosts, fields: Sequence[str], most: int) -> dict[str, FieldCounts]:
        """Return the summed counts of all indexes.

        `query` is ignored; each index counts the hits of its own query in `counted`.
        """
        of_each = [terms.counts(asked, boosts, fields, most) for terms, asked in self.counted]
        return {field: _sum([counts[field] for counts in of_each]) for field in fields}


def _sum(counts: Sequence[FieldCounts]) -> FieldCounts:
    values = Counter[str]()
    for each in counts:
        values.update(dict(each.values))
    return FieldCounts(
        sorted(values.items(), key=lambda each: (-each[1], each[0])), sum(each.others for each in counts)
    )


def _facets(members: Sequence[_Member], answered: _Answered) -> tuple[Facet, ...]:
    manifests = [member.state.manifest for member in members]
    topic = manifests[0].topic if len({manifest.topic for manifest in manifests}) == 1 else ""
    manifest = replace(manifests[0], topic=topic)
    counted = [found.counted for found in answered.found]
    together = _CountsOfAll([(m.state.terms, asked) for m, asked in zip(members, counted, strict=True)])
    boosts = members[0].index.scoring.boosts
    return tuple(facets(together, manifest, counted[0], boosts, answered.query))


def _notes(members: Sequence[_Member]) -> Iterator[str]:
    for member in members:
        yield from (f"{member.name}: {note}" for note in member.index.notes(member.state.manifest))
