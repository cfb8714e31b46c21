"""Sort-friendly URL keys for archive indexes: "https://www.a.example/B?y&x" -> "example,a)/b?x&y".

This is SURT with the canonicalisation that wayback machines agree on, reimplemented because the library `surt` is under
the AGPL. The keys of all spellings of a URL are the same; a test compares them with those of pywb.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

_PARTS = re.compile(r"(https?)://(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)(?::(\d*))?([^?#]*)(?:\?([^#]*))?")
_WWW = re.compile(r"^www\d*\.")
_SESSION_IN_PATH = re.compile(
    r"^(.*/)(\((?:[a-z]\([0-9a-z]{24}\))+\)/)([^?]+\.aspx.*)$|^(.*/)(\([0-9a-z]{24}\)/)([^?]+\.aspx.*)$"
)
_SESSION_IN_QUERY = re.compile(
    r"(?:^|(?<=&))(?:jsessionid=[0-9a-z]{32}|phpsessid=[0-9a-z]{32}|sid=[0-9a-z]{32}"
    r"|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)
_SLASHES = re.compile(r"/{2,}")
_DEFAULT_PORTS = {"http": "80", "https": "443"}
_SPELT_ONE_WAY: Final = re.compile(r"[!$&-~]*")
"""URLs without escapes, spaces and characters beyond ASCII."""
_ESCAPE: Final = re.compile(rb"%([0-9a-fA-F]{2})")
_ESCAPED: Final = re.compile(rb"[\0-\x20\x7f-\xff#%]")
_MOST_ROUNDS: Final = 20
"""Escapes of escapes are undone this often; a URL could have thousands."""
_DOTS: Final = re.compile(r"\.{2,}")


def surt(url: str) -> str:
    """Return the key of an http(s) URL, or any other URL unchanged."""
    is_spelt_one_way = _SPELT_ONE_WAY.fullmatch(url) is not None
    parts = _PARTS.match(url.lower() if is_spelt_one_way else _in_small_letters(url))
    if parts is None:
        return url
    scheme, name, port, path, query = parts.groups()
    if not is_spelt_one_way:
        path, query = _respelt(path), _respelt(query or "")
    return f"{_host(scheme, name, port)}){_path(path)}{_query(query)}"


def _in_small_letters(url: str) -> str:
    """Return a URL with its ASCII letters in lower case; all other characters stay as they are."""
    return url.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _respelt(text: str) -> str:
    """Return a path or query in which only the characters that need an escape are escaped.

    Escapes of escapes are undone, too.
    """
    data = text.encode("utf-8", "surrogatepass")
    for _ in range(_MOST_ROUNDS):
        before, data = data, _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), data)
        if data == before:
            break
    return _ESCAPED.sub(lambda match: b"%%%02x" % match[0][0], data).decode("ascii").lower()


@lru_cache(maxsize=1_000)
def _host(scheme: str, name: str, port: str | None) -> str:
    if not name.isascii() or "%" in name:
        name = _in_ascii(name)
    name = _WWW.sub("", _DOTS.sub(".", name).strip("."))
    key = name.strip("[]") if name.startswith("[") else ",".join(reversed(name.split(".")))
    return f"{key}:{port}" if port and port != _DEFAULT_PORTS[scheme] else key


def _in_ascii(name: str) -> str:
    try:
        return unquote(name).encode("idna").decode("ascii").lower()
    except UnicodeError:
        return name


def _path(path: str) -> str:
    if "/." in path:
        path = _without_dots(path)
    if ".aspx" in path and (found := _SESSION_IN_PATH.match(path)):
        path = "".join(group for place, group in enumerate(found.groups()) if group and place not in (1, 4))
    if "//" in path:
        path = _SLASHES.sub("/", path)
    return path.rstrip("/") or "/"


def _without_dots(path: str) -> str:
    segments: list[str] = []
    for segment in path.split("/"):
        if segment == ".." and segments and segments[-1] not in ("", ".."):
            segments.pop()
        elif segment != ".":
            segments.append(segment)
    return "/".join(segments)


def _query(query: str | None) -> str:
    if not query:
        return ""
    query = _SESSION_IN_QUERY.sub("", query)
    if "&" in query:
        query = "&".join(sorted(query.split("&"), key=lambda part: part.partition("=")))
    return f"?{query}" if query else ""
