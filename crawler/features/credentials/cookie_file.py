"""Reads cookie files in Netscape format, as written by browser extensions, curl and wget. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Final

from hinterland.crawler.features.credentials.credentials import FileCookie

_HTTP_ONLY: Final = "#HttpOnly_"
_FIELDS: Final = 7


class NoCookieFile(ValueError):
    """Raised if a text is not a cookie file. The message gives the first bad line's number, but no cookie's value."""


def read_cookie_file(text: str) -> list[FileCookie]:
    """Return the cookies of a file, expired ones included. Raises NoCookieFile."""
    return list(_cookies(text))


def _cookies(text: str) -> Iterator[FileCookie]:
    for number, line in enumerate(text.splitlines(), 1):
        line = line.removeprefix(_HTTP_ONLY)
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != _FIELDS or not fields[4].strip().lstrip("-").replace(".", "", 1).isdecimal():
            raise NoCookieFile(f"line {number} does not have {_FIELDS} fields separated by tabs")
        domain, is_for_hosts_below, path, is_secure, until, name, value = fields
        seconds = float(until)
        yield FileCookie(
            name=name,
            value=value,
            domain=f".{domain.lstrip('.')}".lower() if is_for_hosts_below == "TRUE" else domain.lower(),
            path=path or "/",
            is_secure=is_secure == "TRUE",
            until=seconds if seconds > 0 else inf,
        )
