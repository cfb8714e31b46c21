"""Which pages are one document, and which of their URLs stands for it. Pure."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crawler.apps.search.near_duplicates import SignatureBands, has_signature, near_pairs, resemblances
from storage.search_index.values.documents import NO_PAGE, IndexablePages

IntArray = NDArray[np.int64]

_MOST_HOPS: Final = 64


@dataclass(frozen=True, slots=True)
class DeduplicationRules:
    """When two pages are one document."""

    near_duplicates: float = 0.95
    """Estimated resemblance from which two pages of equal title are one; above 1: none are."""
    canonical_resemblance: float = 0.3
    """A page that names another as canonical is believed if the two resemble each other so much: naming the
    home page on every page is a common mistake."""


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """Which page stands for which."""

    representative: IntArray
    """Parallel to the indexable pages: the place of the page that stands for each; NO_PAGE for those left out."""
    counts: Mapping[str, int]
    """Pages folded or left out, by reason; each counts once."""


def deduplicate(
    indexable: IndexablePages,
    signatures: SignatureBands,
    titles: NDArray[np.uint64],
    inlinks: IntArray,
    languages: NDArray[np.uint16],
    rules: DeduplicationRules,
) -> Deduplicated:
    """Which pages are one document.

    signatures: n, see crawler.apps.search.near_duplicates. titles: a hash of each title without its digits,
    shape (n,); of pages without a title, a number of their own. inlinks: links to each page, shape (n,).
    languages: of the contents, numbered as indexable.url_languages, 0 if unknown, shape (n,).

    Pages are one if their bodies are the same, if one names the other as canonical and resembles it, or if they
    have the same title and are near-duplicates. What is one with a page that is one with a third is one with that,
    too. For all of them stands the one that others name as canonical; else one that is not a copy for another
    language; else the one with most inlinks; else the shortest URL; else the first found. A copy for another language
    is a page whose URL differs from that of another of them only in the language that it names, and names one that is
    not that of its content: what is not translated is often served under all languages of a site. Pages marked noindex
    are left out, and so is nothing else.
    """
    groups = _Groups(len(indexable.pages))
    shown = np.flatnonzero(~indexable.is_noindex)
    counts = {"noindex": int(indexable.is_noindex.sum())}
    named = np.zeros(len(indexable.pages), np.int64)
    counts["canonical"], counts["canonical not believed"] = _join_canonicals(
        groups, indexable, signatures, shown, named, rules.canonical_resemblance
    )
    counts["same content"] = _join_equal(groups, indexable.contents, shown)
    counts["near-duplicate"] = _join_near(groups, signatures, titles, shown, rules.near_duplicates)
    representative = np.full(len(indexable.pages), NO_PAGE, np.int64)
    if len(shown):
        roots = groups.roots()[shown]
        is_for_others = _is_for_others(indexable, languages, groups)
        keys = (indexable.pages, indexable.url_lengths, -inlinks, is_for_others, -named)
        best_first = np.lexsort((*(key[shown] for key in keys), roots))
        ordered = roots[best_first]
        begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        best = shown[best_first][begins]
        representative[shown[best_first]] = np.repeat(best, np.diff(np.append(begins, len(ordered))))
    return Deduplicated(representative, counts)


def _is_for_others(
    indexable: IndexablePages, languages: NDArray[np.uint16], groups: _Groups
) -> NDArray[np.bool_]:
    """Which pages are copies for another language than that of their content, shape (n,)."""
    is_for_others = np.zeros(len(languages), np.bool_)
    named = indexable.url_languages
    places = np.flatnonzero(named)
    order = places[np.lexsort((indexable.url_rests[places], groups.roots()[places]))]
    if not len(order):
        return is_for_others
    family = np.stack((groups.roots()[order].astype(np.int64), indexable.url_rests[order].astype(np.int64)), axis=1)
    begins = np.flatnonzero(np.concatenate(([True], (family[1:] != family[:-1]).any(axis=1))))
    has_versions = np.minimum.reduceat(named[order], begins) != np.maximum.reduceat(named[order], begins)
    is_version = np.repeat(has_versions, np.diff(np.append(begins, len(order))))
    is_other = (languages[order] != 0) & (languages[order] != named[order])
    is_for_others[order[is_version & is_other]] = True
    return is_for_others


def redirect_ends(sources: IntArray, targets: IntArray, pages: IntArray) -> tuple[IntArray, IntArray]:
    """Pages whose redirects end at one of `pages` (ascending), and where: (sources, ends)."""
    order = np.argsort(sources)
    sources, targets = sources[order], targets[order]
    here = sources
    for _ in range(_MOST_HOPS):  # a loop ends nowhere
        places, moves = places_in(sources, here)
        moves &= ~places_in(pages, here)[1]
        if not moves.any():
            break
        here = np.where(moves, targets[places], here)
    is_end = places_in(pages, here)[1] & (here != sources)
    return sources[is_end], here[is_end]


def places_in(ascending: IntArray, wanted: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
    """Where each number stands in an ascending array, and whether it does."""
    if not len(ascending):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    places = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return places, ascending[places] == wanted


class _Groups:
    """Disjoint sets of places, joined step by step; 4 bytes each."""

    def __init__(self, size: int) -> None:
        self._parent = array("i", range(size))

    def join(self, a: int, b: int) -> bool:
        """Whether they were two."""
        a, b = self._root(a), self._root(b)
        if a == b:
            return False
        self._parent[max(a, b)] = min(a, b)
        return True

    def roots(self) -> NDArray[np.int32]:
        roots = np.array(self._parent, np.int32)
        while (nearer := roots[roots]).tobytes() != roots.tobytes():
            roots = nearer
        return roots

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
    shown: IntArray,
    named: IntArray,
    least: float,
) -> tuple[int, int]:
    """Folded, and not believed. Counts in `named` who is named as canonical."""
    canonicals = indexable.canonicals[shown]
    points = shown[(canonicals != NO_PAGE) & (canonicals != indexable.pages[shown])]
    if not len(points):
        return 0, 0
    targets = np.searchsorted(indexable.pages, indexable.canonicals[points])
    targets = np.minimum(targets, len(indexable.pages) - 1)
    is_there = (indexable.pages[targets] == indexable.canonicals[points]) & ~indexable.is_noindex[targets]
    points, targets = points[is_there], targets[is_there]
    is_like = resemblances(signatures, points, targets) >= least
    is_like |= indexable.contents[points] == indexable.contents[targets]
    is_short = ~has_signature(signatures)
    is_like |= is_short[points] & is_short[targets]  # too short to tell
    folded = 0
    for page, target in zip(points[is_like].tolist(), targets[is_like].tolist(), strict=True):
        named[target] += 1
        folded += groups.join(page, target)
    return folded, int((~is_like).sum())


def _join_equal(groups: _Groups, contents: NDArray[np.uint64], shown: IntArray) -> int:
    order = shown[np.argsort(contents[shown], kind="stable")]
    is_same = (contents[order][1:] == contents[order][:-1]) & (contents[order][1:] != 0)
    pairs = zip(order[:-1][is_same].tolist(), order[1:][is_same].tolist(), strict=True)
    return sum(groups.join(a, b) for a, b in pairs)


def _join_near(
    groups: _Groups, signatures: SignatureBands, titles: NDArray[np.uint64], shown: IntArray, threshold: float
) -> int:
    if threshold > 1 or not len(shown):
        return 0
    is_shown = np.zeros(len(titles), np.bool_)
    is_shown[shown] = True
    first, second = near_pairs(signatures, threshold, titles, is_shown)
    return sum(groups.join(a, b) for a, b in zip(first.tolist(), second.tolist(), strict=True))
