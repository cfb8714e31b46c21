"""The plain values that the documents of an index are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.search.store.values.arrays import LongArray

DOCUMENT_VERSION: Final = 6
"""Part of every fingerprint; raise it when the construction of documents changes."""
NO_PAGE = -1
"""Stands for no page in an array of page numbers."""


@dataclass(frozen=True, slots=True)
class IndexablePages:
    """The fetched HTML pages that an index could hold; parallel arrays, ascending by page."""

    pages: LongArray
    shown: NDArray[np.uint64]
    """A hash of what a hit shows besides the page's content: URL, host, title, time of the visit."""
    hosts: NDArray[np.int32]
    """Numbers of hosts."""
    canonicals: NDArray[np.int32]
    """The page that rel=canonical names, or NO_PAGE."""
    contents: NDArray[np.uint64]
    """First 8 bytes of the hash of the body, as a number."""
    digest_keys: NDArray[np.uint64]
    """A hash of everything that the digest of a page depends on: its body and how to read it."""
    url_lengths: NDArray[np.int32]
    url_languages: NDArray[np.uint16]
    """A number for the language that the URL names; 0 for none."""
    url_rests: NDArray[np.uint32]
    """A hash of the URL without its language."""
    is_noindex: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Redirects:
    """Pages that redirect; parallel arrays with distinct sources."""

    sources: LongArray
    ends: LongArray
    """The page to which each source leads."""
    urls: NDArray[np.uint64]
    """A hash of the URL of each source."""


@dataclass(frozen=True, slots=True)
class AnchorCounts:
    """The number of anchor texts that were kept and dropped."""

    kept: int
    """Distinct texts, counted for each target."""
    of_many_targets: int
    """Texts that were dropped because they lead to many pages, such as "next", "here" or "index"."""


@dataclass(frozen=True, slots=True)
class RawContent:
    """The input of a digest; zstd frames as in the store."""

    page: int
    host: int
    key: int
    """The key of the digest, see IndexablePages.digest_keys."""
    url: str
    charset: str | None
    language: str
    """As declared."""
    text: bytes | None
    body: bytes | None
    content_type: str | None = None
    """As in the header field."""
    main: bytes | None = None
    """Which blocks of the text are the main content; None in stores of versions before 0.2."""
    headings: str = "[]"
    """JSON, a list of [level, text, anchor]."""


@dataclass(frozen=True, slots=True)
class Digest:
    """What was extracted from the content of a page for the index."""

    page: int
    key: int
    """Identifies the content that the digest was made from."""
    language: str
    """BCP 47 primary tag, "" if unknown."""
    signature: bytes
    """For near-duplicates, see search.near_duplicates; uint16, little-endian."""
    text: bytes
    """The main content, UTF-8, one zstd frame."""
    extraction: str
    """How the text was found: "main", "blocks", "all" or, after a failure, "failed"."""
    definitions: Sequence[str] = ()
    """The spellings of the identifiers that it defines, see `spellings`."""
    dated: float | None = None
    """The date that the page itself states, in epoch seconds."""
    sections: str = ""
    """The headings in the main content, see `search.sections`."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The data of a page of the index that come from the link store."""

    page: int
    url: str
    host: str
    site: str
    title: str
    description: str
    headings: str
    """JSON, a list of [level, text, anchor]."""
    fetched_at: float
    content_type: str
    """As in the header field."""
    last_modified: str
    """As in the header field."""
    relevance: float | None
    """Relevance to the topic of the store; None if the page was not judged."""
    full_text: bytes | None
    """One zstd frame."""


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """The parts of a document that are shown for a hit."""

    page: int
    url: str
    host: str
    title: str
    description: str
    language: str
    fetched_at: float
    dated: float | None = None
    """The document's date in epoch seconds."""
    copies: Sequence[str] = field(default=())
    text: str = ""
    """The main content."""
    sections: str = ""
    """The headings in it, see `search.sections`."""
