"""What the pages of a store load, and the fragments to which they link, as columns."""

from __future__ import annotations

import base64
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import BoolArray, IntArray

Records = Iterable[tuple[int, Mapping[str, Any]]]
"""Pages with the fields of their records."""


@dataclass(frozen=True, eq=False)
class References:
    """k references of pages to what they load.

    `pages`, `urls` and `kinds`, shape (k,), are the page, the place of the URL in `names`, and the place of the kind in
    `kind_names`.
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
    names, kind_names = dict[str, int](), dict[str, int]()
    pages, urls, kinds = array("i"), array("i"), array("b")
    for page, fields in records:
        for kind, loaded in fields.items():
            place = kind_names.setdefault(kind, len(kind_names))
            for url in loaded:
                pages.append(page)
                urls.append(names.setdefault(url, len(names)))
                kinds.append(place)
    return References(_column(pages), _column(urls), np.array(kinds, np.int8), list(names), list(kind_names))


@dataclass(frozen=True, eq=False)
class FragmentLinks:
    """k links to fragments: on which page, to which URL and which fragment, as places in `urls` and `fragments`."""

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
    """Return the links in rows of ANCHORS; "" is the page itself."""
    decode = msgspec.json.Decoder(_Fragments).decode
    urls, fragments = dict[str, int](), dict[str, int]()
    sources, targets, names = array("i"), array("i"), array("i")
    for page, fields in rows:
        for url, fragment in decode(fields).fragments:
            sources.append(page)
            targets.append(urls.setdefault(url, len(urls)))
            names.append(fragments.setdefault(fragment, len(fragments)))
    return FragmentLinks(_column(sources), _column(targets), _column(names), list(urls), list(fragments))


def anchor_ids(rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, bytes]]:
    """Yield the page and its packed hashes of anchors of each of the rows of ANCHORS."""
    decode = msgspec.json.Decoder(_Ids).decode
    for page, fields in rows:
        yield page, base64.b64decode(decode(fields).ids)


def _column(values: array[int]) -> IntArray:
    return np.frombuffer(values, np.int32) if values else np.empty(0, np.int32)
