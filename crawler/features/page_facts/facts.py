"""Facts about a page that an audit needs, as values that parser processes send to the store. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from urllib.parse import unquote_to_bytes
from zlib import crc32

import msgspec

FACTS: Final = "page_facts"
"""The table with one record for each page: counts, and header fields."""
REFERENCES: Final = "page_references"
"""The table with what each page loads."""
ANCHORS: Final = "page_anchors"
"""The table with the anchors of each page, and the fragments to which it links."""
ALTERNATES: Final = "page_alternates"
"""The table with the translations that each page names."""

FIELDS: Final = {
    "strict-transport-security": "hsts",
    "content-security-policy": "csp",
    "x-content-type-options": "content_type_options",
    "x-frame-options": "frame_options",
    "referrer-policy": "referrer_policy",
    "cache-control": "cache_control",
    "expires": "expires",
}
"""The header fields that are kept, and the names of their columns."""

CERTIFICATE: Final = ("certificate_since", "certificate_until")
"""The columns that say from when until when the certificate of the page's host is valid, in epoch seconds."""
HASH_BYTES: Final = 4
"""The size of an anchor's hash. On a page with 100 anchors, one in 43 million missing anchors is overlooked."""


class PageFacts(msgspec.Struct, frozen=True, array_like=True):
    """What the markup of a page says.

    `references` are (kind, URL, where) of what it loads: the number of a ResourceKind, the URL, and the name of the
    place in the page that has the URL. `ids` are the packed hashes of its anchors. `fragments` are (URL, fragment) of
    its links to fragments of other pages, with canonical URLs. Links to fragments of the page itself have the URL "",
    and are listed only if the anchor is missing. `alternates` are (language, URL) of its translations. `bad_data` says
    why a piece of JSON-LD cannot be parsed, "" if all can. `left_out` counts entries beyond the limits.
    """

    images: int
    images_without_alt: int
    image_without_alt: str
    canonicals: int
    has_viewport: bool
    bad_data: str
    references: list[tuple[int, str, str]]
    ids: bytes
    fragments: list[tuple[str, str]]
    alternates: list[tuple[str, str]]
    left_out: int = 0


def packed_ids(ids: Iterable[str]) -> bytes:
    """Return the distinct hashes of anchors, ascending, as bytes."""
    return b"".join(sorted({anchor_hash(each) for each in ids}))


def anchor_hash(anchor: str) -> bytes:
    """Return the hash of an anchor, spelled exactly as in its page."""
    return crc32(anchor.encode("utf-8", "surrogatepass")).to_bytes(HASH_BYTES, "big")


def fragment_hashes(fragment: str) -> tuple[bytes, bytes]:
    """Return the hashes of the two anchors that a fragment may mean: as written, and with %-escapes decoded."""
    as_written = anchor_hash(fragment)
    if "%" not in fragment:
        return as_written, as_written
    decoded = unquote_to_bytes(fragment.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
    return as_written, anchor_hash(decoded)


def is_anchor(fragment: str) -> bool:
    """Return whether a fragment names an anchor of a page, rather than its top, some text, or a script's state."""
    return bool(fragment) and fragment.lower() != "top" and fragment[0] not in "/!:" and "=" not in fragment
