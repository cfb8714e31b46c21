"""Sort-friendly URL keys for archive indexes: "https://www.a.example/B?y&x" -> "example,a)/b?x&y".

This is SURT with the canonicalisation that wayback machines agree on, reimplemented because the library `surt` is under
the AGPL. It covers the canonical http(s) URLs of a crawl; a test compares the keys with those of pywb.
"""

from __future__ import annotations

import re

_PARTS = re.compile(
    r"https?://(?:[^/?#@]*@)?(?P<name>\[[^\]]*\]|[^/?#:]*)(?::(?P<port>\d*))?(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?"
)
_WWW = re.compile(r"^www\d*\.")
_SESSION_IN_PATH = re.compile(
    r"^(.*/)(\((?:[a-z]\([0-9a-z]{24}\))+\)/)([^?]+\.aspx.*)$|^(.*/)(\([0-9a-z]{24}\)/)([^?]+\.aspx.*)$"
)
_JSESSION = re.compile(r"^(.*?);jsessionid=[0-9a-z]{32}(.*)$")
_SESSION_IN_QUERY = re.compile(
    r"(?:^|(?<=&))(?:jsessionid=[0-9a-z]{32}|phpsessid=[0-9a-z]{32}|sid=[0-9a-z]{32}"
    r"|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def surt(url: str) -> str:
    """Return the key of an http(s) URL, or any other URL unchanged."""
    parts = _PARTS.match(url.lower())
    if parts is None:
        return url
    name = _WWW.sub("", parts["name"])
    is_address = name.startswith("[") or re.fullmatch(r"[\d.]+", name) is not None
    key = name if is_address else ",".join(reversed(name.split(".")))
    if parts["port"] and parts["port"] != _DEFAULT_PORTS[url[: url.index(":")].lower()]:
        key += f":{parts['port']}"
    return f"{key}){_path(parts['path'])}{_query(parts['query'])}"


def _path(path: str) -> str:
    path = _JSESSION.sub(r"\1\2", path)
    if found := _SESSION_IN_PATH.match(path):
        path = "".join(group for place, group in enumerate(found.groups()) if group and place not in (1, 4))
    path = re.sub(r"/{2,}", "/", path) or "/"
    return path.rstrip("/") or "/"


def _query(query: str | None) -> str:
    if not query:
        return ""
    query = _SESSION_IN_QUERY.sub("", query).removesuffix("&")
    return "?" + "&".join(sorted(query.split("&"))) if query else ""
