"""Parts of canonical URLs: host, authority, path, registrable domain and site."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from hinterland.crawler.urls.public_suffixes import public_suffix

_ADDRESS: Final = re.compile(r"\[.*\]|[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+")


def host_of(url: str) -> str:
    """Return scheme and authority of a canonical URL: "https://a.example:8443"."""
    return url[: url.index("/", 8)]


def authority_of(url: str) -> str:
    """Return the host name and, unless it is the default, the port of a canonical URL: "a.example:8443"."""
    start = url.index("//") + 2
    return url[start : url.index("/", start)]


def path_of(url: str) -> str:
    """Return path and query of a canonical URL: "/a?b=c"."""
    return url[url.index("/", 8) :]


def name_of(host: str) -> str:
    """Return the host name of a host or canonical URL, without port: "a.example", "[::1]"."""
    authority = host.partition("//")[2].partition("/")[0]
    if authority.startswith("["):
        return authority[: authority.index("]") + 1]
    return authority.partition(":")[0]


def registrable_domain(name: str) -> str | None:
    """Return the registrable domain of a host name; None for an IP address or a public suffix itself.

    Under a top-level domain that the public suffix list does not have, such as a company's internal one, the
    registrable domain is the last two labels. This is the list's own rule "*".
    """
    name = name.lower().rstrip(".")
    if name.startswith(".") or _ADDRESS.fullmatch(name):
        return None
    labels = name.split(".")
    suffix = public_suffix(name) or labels[-1]
    own = len(labels) - suffix.count(".") - 2
    return ".".join(labels[own:]) if own >= 0 else None


@lru_cache(maxsize=8192)
def site_of(host: str) -> str:
    """Return the registrable domain of a host, or its host name if it has none (addresses, "localhost")."""
    name = name_of(host)
    return registrable_domain(name) or name
