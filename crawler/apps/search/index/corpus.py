"""The documents of a store: which there are, whether they changed, and what is in them."""

from __future__ import annotations

import json
import os
import re
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from crawler.apps.search.deduplication import Deduplicated, DeduplicationRules, deduplicate, places_in, redirect_ends
from crawler.apps.search.definitions import names_in, names_of_headings
from crawler.apps.search.document_types import document_type
from crawler.apps.search.documents import MOST_CHARACTERS, SearchDocument
from crawler.apps.search.index.extraction import Batch, digests
from crawler.apps.search.main_content import EXTRACTOR, HostProfile, host_profile
from crawler.apps.search.members import Members
from crawler.apps.search.near_duplicates import BAND, BINS, EMPTY
from crawler.apps.search.page_dates import believable, last_modified
from crawler.apps.search.url_languages import language_number, named_language
from storage.search_index.document_store import DocumentStore
from storage.search_index.values.documents import NO_PAGE, AnchorCounts, IndexablePages, IntArray, Redirects
from storage.search_index.values.term_query import DEFINITIONS
from storage.values.compression import unpacked

MOST_ANCHORS: Final = 200
"""Of the different anchor texts of a document, from the same host or from others; the rest are the rarest."""
DOCUMENT_VERSION: Final = 5
"""Part of every fingerprint: raise it when documents are made otherwise."""

_DIFFERING: Final = re.compile(r"[\d\s.]+")
_MOST_OF_ONE_TITLE: Final = 50
_BATCH: Final = 64
_ROWS: Final = 10_000
_SAMPLE: Final = 200

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""What is done now, how much of it is done, and of how much."""


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """What belongs in the index of a store."""

    pages: IntArray
    """The pages that stand for documents, ascending."""
    fingerprints: NDArray[np.uint64]
    """Parallel to `pages`: changes with anything in the document."""
    members: Members
    """Page -> further pages folded into it, redirects to them included; only of pages that have such."""
    counts: Mapping[str, int]
    """What was folded or left out, by reason."""
    extractions: Mapping[str, int] = field(default_factory=dict)
    """How the main content was found, by digests."""


class Corpus:
    """The documents of the store that `documents` has attached: about a hundred bytes of memory each.

    left_out: links (source, target) that are to be treated as if they were not there, for experiments.
    """

    def __init__(
        self,
        documents: DocumentStore,
        *,
        with_outside: bool = False,
        least_relevance: float = 0.0,
        rules: DeduplicationRules | None = None,
        left_out: Iterable[tuple[int, int]] = (),
        progress: Progress = lambda _what, _done, _of: None,
    ) -> None:
        self._store = documents
        self._with_outside = with_outside
        self._least_relevance = least_relevance
        self._rules = rules or DeduplicationRules()
        self._left_out = left_out
        self._progress = progress
        self._members = Members(np.empty(0, np.int64), np.empty(0, np.int64))

    def plan(self) -> IndexPlan:
        """Read what is new, and decide what is a document."""
        indexable = self._store.crawled.indexable(
            EXTRACTOR, named_language, with_outside=self._with_outside, least_relevance=self._least_relevance
        )
        self._digest(indexable)
        self._progress("anchor texts", 0, 1)
        anchors = self._store.gather_anchors(self._left_out)
        self._progress("duplicates", 0, 1)
        redirects = self._store.crawled.redirects()
        sources, ends = redirect_ends(redirects.sources, redirects.ends, indexable.pages)
        redirects = Redirects(sources, ends, redirects.urls[np.searchsorted(redirects.sources, sources)])
        indexable = _with_redirected_canonicals(indexable, sources, ends)
        inlinks, anchor_prints = self._anchor_prints(indexable.pages, sources, ends)
        titles = self._titles(indexable.pages)
        with self._store.signatures(indexable.pages, BINS, BAND, EMPTY) as signatures:
            languages = self._languages(indexable.pages)
            deduplicated = deduplicate(indexable, signatures, titles, inlinks, languages, self._rules)
        return self._planned(indexable, deduplicated, redirects, anchors, anchor_prints)

    def documents(self, pages: Sequence[int]) -> list[SearchDocument]:
        """Of some pages of the plan, in their order."""
        of_one = {page: (page, *self._members.get(page, ())) for page in pages}
        owner = {member: page for page, members in of_one.items() for member in members}
        everyone = list(owner)
        anchors: dict[int, dict[bool, dict[str, int]]] = defaultdict(lambda: {True: {}, False: {}})
        for target, is_inside, words, count in self._store.anchors(everyone):
            of_document = anchors[owner[target]][is_inside]
            of_document[words] = of_document.get(words, 0) + count
        languages = self._store.languages_of(everyone)
        digested = self._store.digests(list(pages))
        urls = self._store.crawled.urls(everyone)
        documents = []
        for facts in self._store.crawled.facts(list(pages)):
            headings = [str(text) for _, text in json.loads(facts.headings)]
            language, body, names, dated = digested.get(facts.page, ("", "", (), None))
            documents.append(
                SearchDocument(
                    page=facts.page,
                    url=facts.url,
                    host=facts.host,
                    site=facts.site,
                    title=facts.title[:MOST_CHARACTERS],
                    description=facts.description[:MOST_CHARACTERS],
                    headings="\n".join(headings),
                    body=body,
                    full_text=unpacked(facts.full_text),
                    language=language,
                    languages=tuple(dict.fromkeys(languages[page] for page in of_one[facts.page] if page in languages)),
                    anchors_inside=_most_frequent(anchors[facts.page][True]),
                    anchors_outside=_most_frequent(anchors[facts.page][False]),
                    fetched_at=facts.fetched_at,
                    type=document_type(facts.content_type),
                    dated=believable(
                        last_modified(facts.last_modified) if dated is None else dated, facts.fetched_at
                    ),
                    relevance=facts.relevance,
                    copies=tuple(urls[member] for member in of_one[facts.page][1:] if member in urls),
                    names=_names(names, headings, anchors[facts.page]),
                    is_cut=max(len(facts.title), len(facts.description)) > MOST_CHARACTERS,
                )
            )
        return documents

    # ---------------------------------------------------------------- digests

    def _digest(self, indexable: IndexablePages) -> None:
        """Make the digests that are missing or of what was there before, and forget those of pages that are gone."""
        pages, keys = self._store.digested()
        places, is_known = places_in(pages, indexable.pages)
        is_known[is_known] = keys[places[is_known]] == indexable.digest_keys[is_known]
        self._store.forget_digests(np.setdiff1d(pages, indexable.pages, assume_unique=True).tolist())
        wanted = np.flatnonzero(~is_known)
        wanted = indexable.pages[wanted[np.argsort(indexable.hosts[wanted], kind="stable")]]
        done = 0
        self._progress("main content", 0, len(wanted))
        processes = min(os.cpu_count() or 1, -(-len(wanted) // _BATCH))
        for batch in digests(self._batches(wanted, indexable), processes=processes):
            self._store.write_digests(batch)
            done += len(batch)
            self._progress("main content", done, len(wanted))

    def _batches(self, pages: IntArray, indexable: IndexablePages) -> Iterator[Batch]:
        """pages: host by host, so that the profiles of a batch's hosts are all that is held."""
        samples = _Samples(indexable)
        profiles: dict[int, HostProfile] = {}
        for start in range(0, len(pages), _BATCH):
            batch = self._store.crawled.contents(pages[start : start + _BATCH].tolist(), EXTRACTOR)
            profiles = {raw.host: profiles[raw.host] for raw in batch if raw.host in profiles}
            for raw in batch:
                if raw.host not in profiles:
                    profiles[raw.host] = host_profile(self._store.crawled.visible_texts(samples.of_host(raw.host)))
            yield batch, profiles

    # ---------------------------------------------------------------- deduplication

    def _titles(self, pages: IntArray) -> NDArray[np.uint64]:
        """A hash of each title without digits and dots, in which two versions of a manual differ. A page without a
        title, or with one that very many have ("Member List"), has that of no other: they are like forms, alike
        but for the few words that matter."""
        alone = (np.arange(len(pages)) + (1 << 32)).astype(np.uint64)  # beyond every hash
        titles = alone.copy()
        for rows in _chunks(self._store.crawled.titles()):
            of_title, hashes = array("q"), array("Q")
            for page, title in rows:
                if words := _DIFFERING.sub("", title.lower()):
                    of_title.append(page)
                    hashes.append(_crc(words))
            places, is_there = places_in(pages, np.frombuffer(of_title, np.int64))
            titles[places[is_there]] = np.frombuffer(hashes, np.uint64)[is_there]
        _, group, sizes = np.unique(titles, return_inverse=True, return_counts=True)
        return np.where(sizes[group] > _MOST_OF_ONE_TITLE, alone, titles)

    def _languages(self, pages: IntArray) -> NDArray[np.uint16]:
        """The language of each page's content, as a number."""
        languages = np.zeros(len(pages), np.uint16)
        for rows in _chunks(self._store.page_languages()):
            places, is_there = places_in(pages, np.array([page for page, _ in rows], np.int64))
            numbers = np.array([language_number(language) for _, language in rows], np.uint16)
            languages[places[is_there]] = numbers[is_there]
        return languages

    def _anchor_prints(
        self, pages: IntArray, sources: IntArray, ends: IntArray
    ) -> tuple[IntArray, NDArray[np.uint64]]:
        """Links to each page with words, and a hash of those words that does not depend on their order."""
        known = np.concatenate((pages, sources))
        order = np.argsort(known)
        known, place_of = known[order], np.concatenate((np.arange(len(pages)), np.searchsorted(pages, ends)))[order]
        inlinks, prints = np.zeros(len(pages), np.int64), np.zeros(len(pages), np.uint64)
        for rows in _chunks(self._store.all_anchors()):
            targets = np.array([target for target, _, _, _ in rows], np.int64)
            counts = np.array([count for _, _, _, count in rows], np.int64)
            is_inside = np.array([inside for _, inside, _, _ in rows], np.int64)
            hashes = np.array([_crc(words) for _, _, words, _ in rows], np.uint64)
            places, is_there = places_in(known, targets)
            of_page = place_of[places[is_there]]
            np.add.at(inlinks, of_page, counts[is_there])
            values = hashes * (2 * counts + is_inside).astype(np.uint64) + np.uint64(1)
            np.add.at(prints, of_page, values[is_there])
        return inlinks, prints

    def _planned(
        self,
        indexable: IndexablePages,
        deduplicated: Deduplicated,
        redirects: Redirects,
        anchors: AnchorCounts,
        anchor_prints: NDArray[np.uint64],
    ) -> IndexPlan:
        """own: a hash of each page for itself; those of the pages folded in are added to it, in whatever order."""
        pages, stands = indexable.pages, deduplicated.representative
        own = _mixed(indexable.digest_keys, indexable.shown, anchor_prints)
        of_members = np.zeros(len(own), np.uint64)
        folded = np.flatnonzero((stands != NO_PAGE) & (stands != np.arange(len(stands))))
        np.add.at(of_members, stands[folded], own[folded])
        ends = stands[np.searchsorted(pages, redirects.ends)] if len(redirects.ends) else redirects.ends
        is_shown = ends != NO_PAGE
        sources, ends = redirects.sources[is_shown], ends[is_shown]
        np.add.at(of_members, ends, (2 * sources + 1).astype(np.uint64) * redirects.urls[is_shown])
        self._members = Members(
            pages[np.concatenate((stands[folded], ends))], np.concatenate((pages[folded], sources))
        )
        fingerprints = _mixed(own, of_members, np.full(len(own), DOCUMENT_VERSION, np.uint64))
        is_document = stands == np.arange(len(stands))
        return IndexPlan(
            pages=pages[is_document],
            fingerprints=fingerprints[is_document],
            members=self._members,
            counts={**deduplicated.counts, "redirect": len(sources), "anchor of many pages": anchors.of_many_targets},
            extractions=self._store.extractions(),
        )


class _Samples:
    """Some pages of each host, always the same ones."""

    def __init__(self, indexable: IndexablePages) -> None:
        scattered = indexable.pages * 2654435761 % (1 << 32)
        order = np.lexsort((scattered, indexable.hosts))
        self._hosts = indexable.hosts[order]
        self._pages = indexable.pages[order]

    def of_host(self, host: int) -> list[int]:
        begin, end = np.searchsorted(self._hosts, [host, host + 1])
        pages: list[int] = self._pages[begin : min(end, begin + _SAMPLE)].tolist()
        return pages


def _names(
    defined: Iterable[str], headings: Iterable[str], anchors: Mapping[bool, Mapping[str, int]]
) -> tuple[tuple[str, str], ...]:
    """Of all anchor texts, also of those that are too many to be indexed word by word."""
    by_field = (
        (DEFINITIONS, dict.fromkeys([*defined, *names_of_headings(headings)])),
        ("anchors_inside", names_in(anchors[True])),
        ("anchors_outside", names_in(anchors[False])),
    )
    return tuple((field, name) for field, names in by_field for name in names)


def _chunks(rows: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(rows)
    while chunk := list(islice(iterator, _ROWS)):
        yield chunk


def _crc(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))


def _most_frequent(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_ANCHORS])


def _with_redirected_canonicals(indexable: IndexablePages, sources: IntArray, ends: IntArray) -> IndexablePages:
    """Canonicals that redirect are taken for where they lead. Sources are distinct."""
    if not len(sources):
        return indexable
    order = np.argsort(sources)
    places = np.minimum(np.searchsorted(sources[order], indexable.canonicals), len(sources) - 1)
    redirects = sources[order][places] == indexable.canonicals
    canonicals = np.where(redirects, ends[order][places], indexable.canonicals)
    return replace(indexable, canonicals=canonicals.astype(np.int32))


def _mixed(*columns: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One hash of each row."""
    mixed = np.full(len(columns[0]), 0xCBF29CE484222325, np.uint64)
    for column in columns:
        mixed = (mixed ^ column) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed
