"""The octets of header fields as text. Pure.

A field may hold any octets (obs-text, RFC 9110, section 5.5). aiohttp reads them as UTF-8 and leaves a lone surrogate
for each octet that is none, which nothing else can store or send.
"""

from __future__ import annotations

import re

_OCTET = re.compile("[\udc80-\udcff]")


def field_text(value: str) -> str:
    """What is not UTF-8 is Latin-1, as HTTP/1.1 began with."""
    if value.isascii():
        return value
    octets = value.encode("utf-8", "surrogateescape")
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        return octets.decode("latin-1")


def location_text(value: str) -> str:
    """A Location, in which an octet that is not UTF-8 is percent-encoded: so the server gets back what it sent."""
    return _OCTET.sub(lambda match: f"%{ord(match[0]) - 0xDC00:02X}", value)
