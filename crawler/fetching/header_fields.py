"""Header fields of a response: conversion of their bytes to text, and fields that occur more than once. Pure.

A field may contain any bytes (obs-text, RFC 9110, section 5.5). aiohttp reads them as UTF-8 and leaves a lone surrogate
for each byte that is not UTF-8. No other component can store or send lone surrogates.

Two rules apply to all fields that are read (RFC 9110, section 5.3). A list field may occur any number of times, and all
its lines together are one list. A field with a single value should occur once; if it occurs more often, the first line
that is not blank is used.
"""

from __future__ import annotations

import re
from typing import Final

from multidict import MultiMapping

_OCTET: Final = re.compile("[\udc80-\udcff]")
_FRAMING: Final = frozenset({"", "identity", "chunked"})


def field_text(value: str) -> str:
    """Return a field as text; bytes that are not UTF-8 are read as Latin-1, the original charset of HTTP/1.1."""
    if value.isascii():
        return value
    octets = value.encode("utf-8", "surrogateescape")
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        return octets.decode("latin-1")


def location_text(value: str) -> str:
    """Return a Location with bytes that are not UTF-8 percent-encoded, so that the server receives the same bytes."""
    return _OCTET.sub(lambda match: f"%{ord(match[0]) - 0xDC00:02X}", value)


def field_lines(fields: MultiMapping[str], name: str) -> tuple[str, ...]:
    """Return the lines of a field, for parsers that treat each line as a part of one list."""
    return tuple(map(field_text, fields.getall(name, ())))


def list_field(fields: MultiMapping[str], name: str) -> str | None:
    """Return all lines of a list field as one list; None if there is no such field."""
    lines = fields.getall(name, ())
    return field_text(", ".join(lines)) if lines else None


def single_field(fields: MultiMapping[str], name: str) -> str | None:
    """Return a field that has a single value, with its bytes as received; None if there is no such field."""
    first = fields.get(name)
    if first is None or first.strip():
        return first
    return next((line for line in fields.getall(name) if line.strip()), first)


def text_field(fields: MultiMapping[str], name: str) -> str | None:
    """Return a field that has a single value, as text; None if there is no such field."""
    return field_text(single_field(fields, name) or "") if name in fields else None  # most are not there


def codings_of(fields: MultiMapping[str]) -> str:
    """Return the codings of a body, in the order in which they were applied.

    Content codings come first, then transfer codings (RFC 9112, section 7), which servers should use only on request.
    """
    content = list_field(fields, "Content-Encoding") or ""
    transfer = list_field(fields, "Transfer-Encoding")
    if transfer is None:
        return content
    members = [member.strip().lower() for member in transfer.split(",")]
    applied = [member for member in members if member not in _FRAMING]
    if "chunked" in members and [*members[:-1], "chunked"] != members:
        return content  # it is unknown where the body ends, and so what it is
    return ", ".join(filter(None, [content, *applied]))
