"""The files that the pages of a store load, and the fragments to which they link, as columns."""

from __future__ import annotations

import base64
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, repeat
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import BoolArray, IntArray

Records = Iterable[tuple[int, Mapping[str, Any]]]
"""Pages with the fields of their records."""


@dataclass(frozen=True, eq=False)
class References:
    """k references of pages to files that they load.

    For each reference, `pages` is the page, `urls` is the index of the URL in `names`, and `kinds` is the index of the
    kind in `kind_names`; these have shape (k,).
    """

    pages: IntArray
    urls: IntArray
    kinds: NDArray[np.int8]
    names: Sequence[str]
    kind_names: Sequence[str]

    def is_of(self, *kinds: str) -> BoolArray:
        """Return which references are of these kinds, shape (k,)."""
        return np.isin(self.kinds, [self.kind_names.index(kind) for kind in kinds if kind in self.kind_names])


def references_of(records: Records) -> References:
    """Return the references in the records of the table page_references."""
    names, kind_names = _numbering(), _numbering()
    pages, urls, kinds = array("i"), array("i"), array("b")
    for page, fields in records:
        for kind, loaded in fields.items():
            pages.extend(repeat(page, len(loaded)))
            urls.extend(map(names.__getitem__, loaded))
            kinds.extend(repeat(kind_names[kind], len(loaded)))
    return References(_column(pages), _column(urls), np.array(kinds, np.int8), list(names), list(kind_names))


@dataclass(frozen=True, eq=False)
class FragmentLinks:
    """k links to fragments: the page of each, and the indices of its URL in `urls` and its fragment in `fragments`."""

    sources: IntArray
    targets: IntArray
    names: IntArray
    urls: Sequence[str]
    fragments: Sequence[str]


ANCHORS: Final = "SELECT page, fields FROM record WHERE name = 'page_anchors' ORDER BY page"
"""SQL for the records of anchors, encoded."""


class _Fragments(msgspec.Struct):
    fragments: list[tuple[str, str]] = []


class _Ids(msgspec.Struct):
    ids: str = ""


def fragment_links_of(rows: Iterable[tuple[int, str]]) -> FragmentLinks:
    """Return the links to fragments in rows of ANCHORS; a URL of "" means the page itself."""
    decode = msgspec.json.Decoder(_Fragments).decode
    urls, fragments = _numbering(), _numbering()
    sources, targets, names = array("i"), array("i"), array("i")
    for page, fields in rows:
        links = decode(fields).fragments
        sources.extend(repeat(page, len(links)))
        targets.extend([urls[url] for url, _ in links])
        names.extend([fragments[fragment] for _, fragment in links])
    return FragmentLinks(_column(sources), _column(targets), _column(names), list(urls), list(fragments))


def anchor_ids(rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, bytes]]:
    """Yield the page and the packed hashes of its anchors for each row of ANCHORS."""
    decode = msgspec.json.Decoder(_Ids).decode
    for page, fields in rows:
        yield page, base64.b64decode(decode(fields).ids)


def _numbering() -> defaultdict[str, int]:
    """Return a dictionary that numbers texts from 0, in the order in which they are first looked up."""
    return defaultdict(count().__next__)


def _column(values: array[int]) -> IntArray:
    return np.frombuffer(values, np.int32) if values else np.empty(0, np.int32)
