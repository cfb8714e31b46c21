"""Sort-friendly URL keys for archive indexes: "https://www.a.example/B?y&x" -> "example,a)/b?x&y".

This is SURT with the canonicalisation that wayback machines agree on, reimplemented because the library `surt` is under
the AGPL. It covers the canonical http(s) URLs of a crawl; a test compares the keys with those of pywb.
"""

from __future__ import annotations

import re
from functools import lru_cache

_PARTS = re.compile(r"(https?)://(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)(?::(\d*))?([^?#]*)(?:\?([^#]*))?")
_WWW = re.compile(r"^www\d*\.")
_SESSION_IN_PATH = re.compile(
    r"^(.*/)(\((?:[a-z]\([0-9a-z]{24}\))+\)/)([^?]+\.aspx.*)$|^(.*/)(\([0-9a-z]{24}\)/)([^?]+\.aspx.*)$"
)
_JSESSION = re.compile(r"^(.*?);jsessionid=[0-9a-z]{32}(.*)$")
_SESSION_IN_QUERY = re.compile(
    r"(?:^|(?<=&))(?:jsessionid=[0-9a-z]{32}|phpsessid=[0-9a-z]{32}|sid=[0-9a-z]{32}"
    r"|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)
_SLASHES = re.compile(r"/{2,}")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def surt(url: str) -> str:
    """Return the key of an http(s) URL, or any other URL unchanged."""
    parts = _PARTS.match(url.lower())
    if parts is None:
        return url
    scheme, name, port, path, query = parts.groups()
    return f"{_host(scheme, name, port)}){_path(path)}{_query(query)}"


@lru_cache(maxsize=1_000)
def _host(scheme: str, name: str, port: str | None) -> str:
    name = _WWW.sub("", name)
    is_address = name.startswith("[") or re.fullmatch(r"[\d.]+", name) is not None
    key = name if is_address else ",".join(reversed(name.split(".")))
    return f"{key}:{port}" if port and port != _DEFAULT_PORTS[scheme] else key


def _path(path: str) -> str:
    if ";" in path:
        path = _JSESSION.sub(r"\1\2", path)
    if ".aspx" in path and (found := _SESSION_IN_PATH.match(path)):
        path = "".join(group for place, group in enumerate(found.groups()) if group and place not in (1, 4))
    if "//" in path:
        path = _SLASHES.sub("/", path)
    return path.rstrip("/") or "/"


def _query(query: str | None) -> str:
    if not query:
        return ""
    query = _SESSION_IN_QUERY.sub("", query).removesuffix("&")
    return "?" + "&".join(sorted(query.split("&"))) if query else ""
