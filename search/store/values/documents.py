"""What the documents of an index are made of, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hinterland.search.store.values.arrays import LongArray

NO_PAGE = -1
"""In an array of page numbers: none."""


@dataclass(frozen=True, slots=True)
class IndexablePages:
    """The fetched HTML pages that an index could hold; all arrays are parallel, ascending by page."""

    pages: LongArray
    shown: NDArray[np.uint64]
    """A hash of all that a hit shows of the page and its content does not tell: URL, host, title, time of the visit."""
    hosts: NDArray[np.int32]
    """Numbers of hosts."""
    canonicals: NDArray[np.int32]
    """Where rel=canonical points, or NO_PAGE."""
    contents: NDArray[np.uint64]
    """First 8 bytes of the hash of the body, as a number."""
    digest_keys: NDArray[np.uint64]
    """A hash of all that goes into the digest of the page: its body and how that is to be read."""
    url_lengths: NDArray[np.int32]
    url_languages: NDArray[np.uint16]
    """A number for the language that the URL names, 0 for none."""
    url_rests: NDArray[np.uint32]
    """A hash of the URL without its language."""
    is_noindex: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Redirects:
    """Pages that redirect; parallel arrays, the sources distinct."""

    sources: LongArray
    ends: LongArray
    """Where each leads."""
    urls: NDArray[np.uint64]
    """A hash of the URL of each source."""


@dataclass(frozen=True, slots=True)
class AnchorCounts:
    """What became of the anchor texts of inbound links."""

    kept: int
    """Different texts, counted for each target."""
    of_many_targets: int
    """Left out because the same words lead to many pages: "next", "here", "index"."""


@dataclass(frozen=True, slots=True)
class RawContent:
    """What a digest is made from; zstd frames as they are in the store."""

    page: int
    host: int
    key: int
    """See IndexablePages.digest_keys."""
    url: str
    charset: str | None
    language: str
    """As declared."""
    text: bytes | None
    body: bytes | None
    content_type: str | None = None
    """As the header field said it."""


@dataclass(frozen=True, slots=True)
class Digest:
    """What was read out of a page's content."""

    page: int
    key: int
    """Of what it was made from."""
    language: str
    """BCP 47 primary tag, "" if unknown."""
    signature: bytes
    """For near-duplicates, see search.near_duplicates; uint16, little-endian."""
    text: bytes
    """The main content, UTF-8, one zstd frame."""
    extraction: str
    """How it was found: "main", "blocks", "all" or, after a failure, "failed"."""
    definitions: Sequence[str] = ()
    """The spellings of the names that it defines, see `spellings`."""
    dated: float | None = None
    """The date that the page itself bears, epoch seconds."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What the store says of a page that an index holds."""

    page: int
    url: str
    host: str
    site: str
    title: str
    description: str
    headings: str
    """JSON, a list of [level, text]."""
    fetched_at: float
    content_type: str
    """As the server says."""
    last_modified: str
    """As the server says."""
    relevance: float | None
    """To the topic of the store; None if nobody has judged the page."""
    full_text: bytes | None
    """One zstd frame."""


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """What is shown of a document that was found."""

    page: int
    url: str
    host: str
    title: str
    description: str
    language: str
    fetched_at: float
    dated: float | None = None
    """The date that it bears, epoch seconds."""
    copies: Sequence[str] = field(default=())
    text: str = ""
    """The main content."""
