"""Resolves hrefs by the text of the URL Standard, since urllib drops empty parts of paths (`//`). Pure."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_WEB: Final = re.compile(r"(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?", re.DOTALL)
_FORBIDDEN: Final = re.compile(r"[\x00-\x20#/:<>?@\[\\\]^|%\x7f]")
"""What no host may contain (3.2 of the URL Standard)."""
_ONE_DOT: Final = (".", "%2e")
_TWO_DOTS: Final = ("..", ".%2e", "%2e.", "%2e%2e")
_NUMBER: Final = re.compile(r"\d+|0x[0-9a-f]*", re.IGNORECASE)


class NoUrl(ValueError):
    """An href is meant for the web, and browsers refuse it."""


def resolved(href: str, base: str) -> str | None:
    """Return the http URL of an href without its fragment, not escaped; None if it is none of http. Raises NoUrl."""
    text = re.sub(r"[\t\n\r]", "", href.strip("".join(map(chr, range(33))))).partition("#")[0]
    scheme, rest = match.groups() if (match := _SCHEME.match(text)) else ("", text)
    if scheme.lower() not in ("", "http", "https"):
        return None
    path, mark, query = rest.partition("?")
    path, query = path.replace("\\", "/"), mark + query
    found = _WEB.match(base)
    if found is None:  # a page whose own base is no http URL
        return None if not scheme else _absolute(scheme.lower(), path.lstrip("/"), query)
    own_scheme, authority, own_path, own_query = found.groups()
    if scheme and (scheme.lower() != own_scheme or path.startswith("//")):
        return _absolute(scheme.lower(), path.lstrip("/"), query)
    if path.startswith("//"):
        return _absolute(own_scheme, path.lstrip("/"), query)
    if not path:
        return f"{own_scheme}://{authority}{_without_dots(own_path)}{query or own_query or ''}"
    if not path.startswith("/"):
        path = f"{own_path.rpartition('/')[0]}/{path}"
    return f"{own_scheme}://{authority}{_without_dots(path)}{query}"


def _absolute(scheme: str, rest: str, query: str) -> str:
    authority, slash, path = rest.partition("/")
    host, colon, port = authority.rpartition("@")[2], "", ""
    if not host.endswith("]"):
        host, colon, port = host.partition(":")
    if not host or _is_bad(host) or (colon and port and not (port.isascii() and port.isdigit() and int(port) < 65_536)):
        raise NoUrl(rest)
    return f"{scheme}://{authority}{_without_dots(slash + path)}{query}"


def _is_bad(host: str) -> bool:
    if host.startswith("["):
        return re.fullmatch(r"\[[0-9a-fA-F:.]+\]", host) is None
    decoded = unquote(host)
    last = decoded.rstrip(".").rpartition(".")[2]
    is_address = re.fullmatch(r"[0-9.xXa-fA-F]+", decoded) is not None and len(decoded.rstrip(".").split(".")) <= 4
    return _FORBIDDEN.search(decoded) is not None or (_NUMBER.fullmatch(last) is not None and not is_address)


def _without_dots(path: str) -> str:
    kept: list[str] = []
    parts = path.split("/")[1:]
    for place, part in enumerate(parts):
        is_last = place == len(parts) - 1
        if part.lower() in _TWO_DOTS:
            del kept[-1:]
            if is_last:
                kept.append("")
        elif part.lower() not in _ONE_DOT:
            kept.append(part)
        elif is_last:
            kept.append("")
    return "/" + "/".join(kept)
