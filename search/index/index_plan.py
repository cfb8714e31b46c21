"""Decides what belongs in the index of a store, and fingerprints the documents to detect changes. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import Allocator, chunks, gathered, places_where
from hinterland.search.deduplication import places_in
from hinterland.search.folded_pages import FoldedPages
from hinterland.search.store.values.arrays import LongArray
from hinterland.search.store.values.documents import DOCUMENT_VERSION, NO_PAGE, IndexablePages, Redirects


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """The documents that belong in the index of a store."""

    pages: LongArray
    """The pages that represent documents, ascending."""
    fingerprints: NDArray[np.uint64]
    """Parallel to `pages`; a fingerprint changes whenever its document changes."""
    members: FoldedPages
    """The further pages folded into each page, including pages that redirect to these."""
    counts: Mapping[str, int]
    """Pages folded or left out, by reason."""
    extractions: Mapping[str, int] = field(default_factory=dict)
    """Number of digests by how the main content was found."""


def planned(
    indexable: IndexablePages,
    representative: LongArray,
    redirects: Redirects,
    anchor_prints: NDArray[np.uint64],
    zeros: Allocator,
) -> IndexPlan:
    """Return the plan for these pages.

    `representative` is explained in `Deduplicated`. `redirects` lead to indexable pages. `anchor_prints` holds a hash
    of the anchor texts of each indexable page. `zeros` allocates the plan and its intermediate arrays.

    A fingerprint combines a hash of the page itself with the sum over the pages folded into it.
    """
    pages, size = indexable.pages, len(indexable.pages)
    own, of_members = zeros(size, np.uint64), zeros(size, np.uint64)
    for part in chunks(size):
        own[part] = _mixed(indexable.digest_keys[part], indexable.shown[part], anchor_prints[part])

    def is_document(part: slice) -> NDArray[np.bool_]:
        return np.asarray(representative[part] == np.arange(part.start, part.stop))

    folded = places_where(size, lambda part: (representative[part] != NO_PAGE) & ~is_document(part), zeros)
    owners, members = (zeros(len(folded) + len(redirects.sources), np.int64) for _ in range(2))
    for part in chunks(len(folded)):
        stands = representative[folded[part]]
        np.add.at(of_members, stands, own[folded[part]])
        owners[part], members[part] = pages[stands], pages[folded[part]]
    count = len(folded)
    for part in chunks(len(redirects.sources)):
        ends = representative[np.searchsorted(pages, redirects.ends[part])]
        is_shown = ends != NO_PAGE
        ends, sources = ends[is_shown], redirects.sources[part][is_shown]
        np.add.at(of_members, ends, (2 * sources + 1).astype(np.uint64) * redirects.urls[part][is_shown])
        owners[count : count + len(ends)], members[count : count + len(ends)] = pages[ends], sources
        count += len(ends)
    for part in chunks(size):
        version = np.full(part.stop - part.start, DOCUMENT_VERSION, np.uint64)
        own[part] = _mixed(own[part], of_members[part], version)
    documents = places_where(size, is_document, zeros)
    return IndexPlan(
        pages=gathered(pages, documents, zeros),
        fingerprints=gathered(own, documents, zeros),
        members=FoldedPages(owners[:count], members[:count], zeros),
        counts={"redirect": count - len(folded)},
    )


def with_redirected_canonicals(indexable: IndexablePages, redirects: Redirects, zeros: Allocator) -> IndexablePages:
    """Replace each canonical page that redirects by the page to which it redirects.

    The sources of `redirects` are ascending.
    """
    if not len(redirects.sources):
        return indexable
    canonicals: NDArray[np.int32] = zeros(len(indexable.pages), np.int32)
    for part in chunks(len(canonicals)):
        named = indexable.canonicals[part].astype(np.int64)
        places, is_there = places_in(redirects.sources, named)
        canonicals[part] = np.where(is_there, redirects.ends[places], named)
    return replace(indexable, canonicals=canonicals)


def _mixed(*columns: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a hash of each row."""
    mixed = np.full(len(columns[0]), 0xCBF29CE484222325, np.uint64)
    for column in columns:
        mixed = (mixed ^ column) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed
