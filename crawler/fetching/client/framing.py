"""Edits the head of a response so that only one field says where the body ends, as llhttp requires. Pure."""

from __future__ import annotations

import re
from typing import Final

_CONTENT_LENGTH: Final = re.compile(rb"\r?\nContent-Length:([0-9, \t]*)(?=\r?\n)", re.IGNORECASE)
_TRANSFER_ENCODING: Final = re.compile(rb"\r?\nTransfer-Encoding:([^\r\n]*)(?=\r?\n)", re.IGNORECASE)


def with_one_framing(head: bytes) -> bytes:
    """Return the head of a message in which only one field says where the body ends; most heads are unchanged.

    Equal Content-Length fields count as one (RFC 9110, section 8.6). Several Transfer-Encoding fields are one list
    (section 5.3), in which "identity", known from earlier standards, has no meaning. The end of a chunked body is its
    last chunk, whatever Content-Length says (RFC 9112, section 6.3).
    """
    lowered = head.lower()
    if lowered.find(b"\ntransfer-encoding:") > 0:
        head = _with_one_transfer_encoding(head)
        lowered = head.lower()
    first = lowered.find(b"\ncontent-length:") + 1
    if not first:
        return head
    is_list = lowered.find(b",", first, lowered.find(b"\n", first)) > 0
    if is_list or lowered.find(b"\ncontent-length:", first) > 0:
        return _with_one_length(head)
    return head


def _with_one_length(head: bytes) -> bytes:
    fields = list(_CONTENT_LENGTH.finditer(head))
    lengths = {length.strip() for field in fields for length in field[1].split(b",")}
    if len(lengths) != 1:
        return head
    once = b"\r\nContent-Length: " + lengths.pop()
    return head[: fields[0].start()] + once + _CONTENT_LENGTH.sub(b"", head[fields[0].end() :])


def _with_one_transfer_encoding(head: bytes) -> bytes:
    fields = list(_TRANSFER_ENCODING.finditer(head))
    named = [member.strip() for field in fields for member in field[1].split(b",")]
    codings = [member for member in named if member.lower() not in (b"", b"identity")]
    is_chunked = any(member.lower() == b"chunked" for member in codings)
    if is_chunked:
        head = _CONTENT_LENGTH.sub(b"", head)
    if len(fields) == 1 and named == codings:
        return head
    without = _TRANSFER_ENCODING.sub(b"", head)
    if not codings:
        return without
    lead = len(without) - len(without.lstrip(b"\r\n"))  # empty lines before the status line
    start = without.index(b"\n", lead) + 1
    return without[:start] + b"Transfer-Encoding: " + b", ".join(codings) + b"\r\n" + without[start:]
