"""Groups pages that are the same document and chooses the URL that represents each group. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import Allocator, Places, chunks, gathered, places_where
from hinterland.analysis.ordering import neighbours_alike, numbered
from hinterland.search.near_duplicates import SignatureBands, has_signature, near_pairs, resemblances
from hinterland.search.store.values.arrays import LongArray
from hinterland.search.store.values.documents import NO_PAGE, IndexablePages

_MOST_HOPS: Final = 64


@dataclass(frozen=True, slots=True)
class DeduplicationRules:
    """Thresholds for treating two pages as one document."""

    near_duplicates: float = 0.95
    """Estimated resemblance from which two pages with the same title are one document; above 1 disables the rule."""
    canonical_resemblance: float = 0.3
    """Minimum resemblance for rel=canonical to be believed. Naming the home page as canonical on every page is a common
    mistake."""


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """The result of deduplication: the representative of each page."""

    representative: LongArray
    """The index of each page's representative among the indexable pages; NO_PAGE for excluded pages."""
    counts: Mapping[str, int]
    """Pages folded or excluded, by reason; each page counts once."""


def deduplicate(
    indexable: IndexablePages,
    signatures: SignatureBands,
    titles: NDArray[np.uint64],
    inlinks: LongArray,
    languages: NDArray[np.uint16],
    rules: DeduplicationRules,
    zeros: Allocator = np.zeros,
) -> Deduplicated:
    """Group pages that are one document and choose a representative of each group.

    Arguments: `signatures` of the n pages, see search.near_duplicates; `titles`, shape (n,), a hash of each title
    without its digits, unique for pages without a title; `inlinks`, shape (n,), the number of links to each page;
    `languages`, shape (n,), the language of each page's content, numbered as `indexable.url_languages`, 0 if unknown;
    `zeros` allocates about 60 bytes per page.

    Two pages are one document if their bodies are identical, if one names the other as canonical and resembles it, or
    if they are near-duplicates with the same title. The relation is transitive. The representative is, in this order of
    preference: the page that others name as canonical, a page that is not a copy for another language, the page with
    most inlinks, the page with the shortest URL, the page found first.

    Sites often serve untranslated pages under the URLs of all their languages. A page is such a copy for another
    language if two things hold: another page of the group has the same URL except for the language named in it, and the
    content of the page is not in the language that its own URL names. Pages marked noindex are excluded; all other
    pages are grouped.
    """
    size = len(indexable.pages)
    groups = _Groups(zeros(size, np.int32))
    is_shown: NDArray[np.bool_] = zeros(size, np.bool_)
    np.logical_not(indexable.is_noindex, out=is_shown)
    counts = {"noindex": int(np.count_nonzero(indexable.is_noindex))}
    named: NDArray[np.int32] = zeros(size, np.int32)
    has_text = has_signature(signatures, zeros)
    counts["canonical"], counts["canonical not believed"] = _join_canonicals(
        groups, indexable, signatures, has_text, named, rules.canonical_resemblance
    )
    counts["same content"] = _join_equal(groups, indexable.contents, is_shown, zeros)
    counts["near-duplicate"] = _join_near(groups, signatures, titles, is_shown, rules.near_duplicates, zeros)
    roots = groups.roots()
    is_for_others = _is_for_others(indexable, languages, roots, zeros)
    best = _best(
        roots,
        is_shown,
        (
            lambda places: -named[places],
            lambda places: is_for_others[places],
            lambda places: -inlinks[places],
            lambda places: indexable.url_lengths[places],
            lambda places: places,
        ),
        zeros,
    )
    representative: LongArray = zeros(size, np.int64)
    for part in chunks(size):
        representative[part] = np.where(is_shown[part], best[roots[part]], NO_PAGE)
    return Deduplicated(representative, counts)


def _best(
    roots: Places,
    is_shown: NDArray[np.bool_],
    keys: Sequence[Callable[[LongArray], NDArray[Any]]],
    zeros: Allocator,
) -> LongArray:
    """Return the index of the best page of each group, stored at the index of the group's root; shape (n,).

    The best page has the smallest first key; ties are broken by the second key and so on, and finally by the index.
    Pages with `is_shown` False are never chosen.
    """
    is_left: NDArray[np.bool_] = zeros(len(roots), np.bool_)
    is_left[:] = is_shown
    least: LongArray = zeros(len(roots), np.int64)
    for key in keys:
        least[:] = np.iinfo(np.int64).max
        for part in chunks(len(roots)):
            left = part.start + np.flatnonzero(is_left[part])
            np.minimum.at(least, roots[left], key(left).astype(np.int64))
        for part in chunks(len(roots)):
            left = part.start + np.flatnonzero(is_left[part])
            is_left[left] = key(left) == least[roots[left]]
    return least


def _is_for_others(
    indexable: IndexablePages, languages: NDArray[np.uint16], roots: Places, zeros: Allocator
) -> NDArray[np.bool_]:
    """Return which pages are copies for another language, shape (n,); see `deduplicate`."""
    is_for_others: NDArray[np.bool_] = zeros(len(languages), np.bool_)
    named = indexable.url_languages
    rows = places_where(len(named), lambda part: named[part] != 0, zeros)
    families: NDArray[np.uint64] = zeros(len(rows), np.uint64)
    for part in chunks(len(rows)):
        families[part] = roots[rows[part]].astype(np.uint64) << np.uint64(32) | indexable.url_rests[rows[part]]
    family, count = numbered(families, zeros)
    least, most = zeros(count, np.uint16), zeros(count, np.uint16)
    least[:] = np.iinfo(np.uint16).max
    for part in chunks(len(rows)):
        np.minimum.at(least, family[part], named[rows[part]])
        np.maximum.at(most, family[part], named[rows[part]])
    for part in chunks(len(rows)):
        places = rows[part]
        is_version = least[family[part]] != most[family[part]]
        is_other = (languages[places] != 0) & (languages[places] != named[places])
        is_for_others[places[is_version & is_other]] = True
    return is_for_others


def redirect_ends(
    sources: LongArray, targets: LongArray, pages: LongArray, zeros: Allocator = np.zeros
) -> tuple[LongArray, LongArray]:
    """Return (sources, ends) of the pages whose redirects end at one of `pages`.

    `sources` and `pages` must be ascending.
    """
    found: tuple[LongArray, LongArray] = zeros(len(sources), np.int64), zeros(len(sources), np.int64)
    size = 0
    for part in chunks(len(sources)):
        here = sources[part]
        for _ in range(_MOST_HOPS):  # a redirect loop has no end
            places, moves = places_in(sources, here)
            moves &= ~places_in(pages, here)[1]
            if not moves.any():
                break
            here = np.where(moves, targets[places], here)
        is_end = places_in(pages, here)[1] & (here != sources[part])
        end = size + int(is_end.sum())
        found[0][size:end], found[1][size:end] = sources[part][is_end], here[is_end]
        size = end
    return found[0][:size], found[1][:size]


def places_in(ascending: LongArray, wanted: LongArray) -> tuple[LongArray, NDArray[np.bool_]]:
    """Return the index of each wanted number in an ascending array, and whether the array contains the number."""
    if not len(ascending):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    places = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return places, ascending[places] == wanted


class _Groups:
    """Disjoint sets of indices (union-find). Takes 4 bytes of memory per index."""

    def __init__(self, room: Places) -> None:
        """Put every index into a set of its own. `room` is a work array of zeros, shape (n,)."""
        for part in chunks(len(room)):
            room[part] = np.arange(part.start, part.stop)
        self._nearer = room
        self._parent = room.data

    def join(self, a: int, b: int) -> bool:
        """Merge the sets of two indices and return whether the sets were separate."""
        a, b = self._root(a), self._root(b)
        if a == b:
            return False
        self._parent[max(a, b)] = min(a, b)
        return True

    def roots(self) -> Places:
        """Return the smallest index in the set of each index, shape (n,); valid until the next `join`."""
        for part in chunks(len(self._nearer)):
            roots = self._nearer[part]
            while not np.array_equal(nearer := self._nearer[roots], roots):
                roots[:] = nearer
        return self._nearer

    def _root(self, place: int) -> int:
        parent = self._parent
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place


def _join_canonicals(
    groups: _Groups,
    indexable: IndexablePages,
    signatures: SignatureBands,
    has_text: NDArray[np.bool_],
    named: NDArray[np.int32],
    least: float,
) -> tuple[int, int]:
    """Join pages with their canonical URLs.

    Returns how many pages were folded into others, and how many canonical links were ignored because the two pages do
    not resemble each other. `named` is incremented for every page named as canonical. `has_text` marks pages with
    enough text for a signature.
    """
    folded = not_believed = 0
    for part in chunks(len(indexable.pages)):
        canonicals = indexable.canonicals[part]
        is_wanted = (canonicals != NO_PAGE) & (canonicals != indexable.pages[part]) & ~indexable.is_noindex[part]
        targets, is_there = places_in(indexable.pages, canonicals[is_wanted])
        is_there &= ~indexable.is_noindex[targets]
        points, targets = part.start + np.flatnonzero(is_wanted)[is_there], targets[is_there]
        is_like = resemblances(signatures, points, targets) >= least
        is_like |= indexable.contents[points] == indexable.contents[targets]
        is_like |= ~has_text[points] & ~has_text[targets]  # too short to tell
        np.add.at(named, targets[is_like], 1)
        pairs = zip(points[is_like].tolist(), targets[is_like].tolist(), strict=True)
        folded += sum(groups.join(page, target) for page, target in pairs)
        not_believed += int((~is_like).sum())
    return folded, not_believed


def _join_equal(groups: _Groups, contents: NDArray[np.uint64], is_shown: NDArray[np.bool_], zeros: Allocator) -> int:
    """Join pages with identical bodies, and return how many pages were folded into others."""
    rows = places_where(len(contents), lambda part: is_shown[part] & (contents[part] != 0), zeros)
    folded = 0
    for before, later, _ in neighbours_alike(gathered(contents, rows, zeros), zeros):
        pairs = zip(rows[before].tolist(), rows[later].tolist(), strict=True)
        folded += sum(groups.join(a, b) for a, b in pairs)
    return folded


def _join_near(
    groups: _Groups,
    signatures: SignatureBands,
    titles: NDArray[np.uint64],
    is_shown: NDArray[np.bool_],
    threshold: float,
    zeros: Allocator,
) -> int:
    """Join near-duplicates with the same title, and return how many pages were folded into others."""
    if threshold > 1:
        return 0
    folded = 0
    for first, second in near_pairs(signatures, threshold, titles, is_shown, zeros):
        folded += sum(groups.join(a, b) for a, b in zip(first.tolist(), second.tolist(), strict=True))
    return folded
