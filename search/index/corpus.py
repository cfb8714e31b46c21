"""The documents of a store: which pages are documents, whether they have changed, and their content."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hinterland.analysis.chunked import Allocator, chunks
from hinterland.search.deduplication import DeduplicationRules, deduplicate, redirect_ends
from hinterland.search.definitions import names_in, names_of_headings
from hinterland.search.document_types import document_type
from hinterland.search.documents import MOST_CHARACTERS, SearchDocument
from hinterland.search.folded_pages import FoldedPages
from hinterland.search.index.digesting import Progress, make_digests
from hinterland.search.index.index_plan import IndexPlan, planned, with_redirected_canonicals
from hinterland.search.index.page_columns import PageColumns
from hinterland.search.main_content import EXTRACTOR
from hinterland.search.near_duplicates import BAND, BINS, EMPTY
from hinterland.search.page_dates import believable, last_modified
from hinterland.search.store.document_store import DocumentStore
from hinterland.search.store.values.arrays import LongArray
from hinterland.search.store.values.documents import Redirects
from hinterland.search.store.values.term_query import DEFINITIONS
from hinterland.search.url_languages import named_language
from hinterland.storage.values.compression import unpacked

MOST_ANCHORS: Final = 200
"""Maximum number of distinct anchor texts of a document from its own host, and also from other hosts; the most frequent
are kept.
"""


class Corpus:
    """Decides which pages of a store are documents, and reads their content."""

    def __init__(
        self,
        documents: DocumentStore,
        *,
        with_outside: bool = False,
        least_relevance: float = 0.0,
        unlisted: Container[int] = frozenset(),
        rules: DeduplicationRules | None = None,
        left_out: Iterable[tuple[int, int]] = (),
        progress: Progress = lambda _what, _done, _of: None,
        zeros: Allocator = np.zeros,
    ) -> None:
        """Start without a plan.

        `unlisted` are pages to leave out, as if they said noindex. `zeros` allocates the columns of all pages: about
        200 bytes per page while planning, 20 afterwards. `left_out` holds links (source, target) to be ignored, for
        experiments.
        """
        self._store = documents
        self._with_outside = with_outside
        self._least_relevance = least_relevance
        self._unlisted = unlisted
        self._rules = rules or DeduplicationRules()
        self._left_out = left_out
        self._progress = progress
        self._zeros = zeros
        self._members = FoldedPages(np.empty(0, np.int64), np.empty(0, np.int64))

    def plan(self) -> IndexPlan:
        """Make missing digests and decide which pages are documents."""
        zeros = self._zeros
        indexable = self._store.crawled.indexable(
            EXTRACTOR,
            named_language,
            with_outside=self._with_outside,
            least_relevance=self._least_relevance,
            unlisted=self._unlisted,
            zeros=zeros,
        )
        make_digests(self._store, indexable, zeros, self._progress)
        self._progress("anchor texts", 0, 1)
        anchors = self._store.gather_anchors(self._left_out)
        self._progress("duplicates", 0, 1)
        redirects = self._redirects_to(indexable.pages)
        indexable = with_redirected_canonicals(indexable, redirects, zeros)
        columns = PageColumns(self._store, indexable.pages, zeros)
        inlinks, anchor_prints = columns.anchors(redirects)
        titles = columns.titles()
        with self._store.signatures(indexable.pages, BINS, BAND, EMPTY) as signatures:
            deduplicated = deduplicate(
                indexable=indexable,
                signatures=signatures,
                titles=titles,
                inlinks=inlinks,
                languages=columns.languages(),
                rules=self._rules,
                zeros=zeros,
            )
        plan = planned(indexable, deduplicated.representative, redirects, anchor_prints, zeros)
        self._members = plan.members
        counts = {**deduplicated.counts, **plan.counts, "anchor of many pages": anchors.of_many_targets}
        return replace(plan, counts=counts, extractions=self._store.extractions())

    def _redirects_to(self, pages: LongArray) -> Redirects:
        """Return the redirects that end at one of these pages, with ascending sources."""
        hops = self._store.crawled.redirects(self._zeros)
        sources, ends = redirect_ends(hops.sources, hops.ends, pages, self._zeros)
        urls = self._zeros(len(sources), np.uint64)
        for part in chunks(len(sources)):
            urls[part] = hops.urls[np.searchsorted(hops.sources, sources[part])]
        return Redirects(sources, ends, urls)

    def documents(self, pages: Sequence[int]) -> list[SearchDocument]:
        """Return the documents of some pages of the plan, in the order of these pages."""
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
            headings = [str(text) for _, text, *_ in json.loads(facts.headings)]
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
                    dated=believable(last_modified(facts.last_modified) if dated is None else dated, facts.fetched_at),
                    relevance=facts.relevance,
                    copies=tuple(urls[member] for member in of_one[facts.page][1:] if member in urls),
                    names=_names(names, headings, anchors[facts.page]),
                    is_cut=max(len(facts.title), len(facts.description)) > MOST_CHARACTERS,
                )
            )
        return documents


def _names(
    defined: Iterable[str], headings: Iterable[str], anchors: Mapping[bool, Mapping[str, int]]
) -> tuple[tuple[str, str], ...]:
    """Return (field, name) for all identifiers of a document.

    All anchor texts are read, even if there are too many to be indexed.
    """
    by_field = (
        (DEFINITIONS, dict.fromkeys([*defined, *names_of_headings(headings)])),
        ("anchors_inside", names_in(anchors[True])),
        ("anchors_outside", names_in(anchors[False])),
    )
    return tuple((field, name) for field, names in by_field for name in names)


def _most_frequent(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_ANCHORS])
