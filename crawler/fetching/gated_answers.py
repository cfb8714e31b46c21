"""Detects answers that come from a gate and not from the site behind it. Pure."""

from __future__ import annotations

from typing import Final

from hinterland.crawler.fetching.answers import Answer
from hinterland.crawler.fetching.content_type import essence_of
from hinterland.crawler.fetching.decoding import ContentDecodingError, decode_content
from hinterland.crawler.fetching.gates.gate import Gate
from hinterland.crawler.fetching.gates.recognition import MAX_PAGE_BYTES, gate_at, gate_in_fields, gate_in_page

REFUSING: Final = frozenset({401, 403, 405, 406, 429, 503})
"""Error statuses with which gates answer."""
_REDIRECTING: Final = range(300, 400)
_MAX_ENCODED_BYTES: Final = 4_096
_MAX_DECODED_BYTES: Final = 12_288
"""Size limits for answers with status 2xx: nearly all are the site's own, and decoding them is most of the cost of this
check."""


def gate_of(answer: Answer) -> Gate | None:
    """Return the gate that gave an answer; None if the site itself seems to have given it."""
    status = answer.status
    if answer.filter_fields and (gate := gate_in_fields(status, answer.filter_fields)) is not None:
        return gate
    if status in _REDIRECTING:
        return None if answer.location is None else gate_at(answer.location)
    is_page = 200 <= status < 300
    if is_page and (answer.etag is not None or answer.last_modified is not None):
        return None  # a gate makes its page for one request, without validators
    body = answer.body or answer.unwanted
    if not body or not (is_page or status in REFUSING):
        return None
    max_bytes = _MAX_DECODED_BYTES if is_page else MAX_PAGE_BYTES
    if len(body) > (_MAX_ENCODED_BYTES if is_page and answer.content_encoding else max_bytes):
        return None
    if answer.content_type is not None and "html" not in essence_of(answer.content_type):
        return None
    try:
        page = decode_content(body, answer.content_encoding, max_bytes)
    except ContentDecodingError:
        return None  # too large for a gate, or broken: the reader of the page reports that
    return gate_in_page(status, page)
