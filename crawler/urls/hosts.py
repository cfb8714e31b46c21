"""What a URL belongs to: its host and its site. The public suffix list is that of tldextract; nothing is fetched."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tldextract import TLDExtract


def host_of(url: str) -> str:
    """Scheme and authority of a canonical URL: "https://a.example:8443"."""
    return url[: url.index("/", 8)]


def authority_of(url: str) -> str:
    """Name and, unless it is the default, port of a canonical URL: "a.example:8443"."""
    start = url.index("//") + 2
    return url[start : url.index("/", start)]


def path_of(url: str) -> str:
    """Path and query of a canonical URL: "/a?b=c"."""
    return url[url.index("/", 8) :]


def name_of(host: str) -> str:
    """The bare host name of a host or canonical URL, without port: "a.example", "[::1]"."""
    authority = host.partition("//")[2].partition("/")[0]
    if authority.startswith("["):
        return authority[: authority.index("]") + 1]
    return authority.partition(":")[0]


@cache
def _suffixes() -> TLDExtract:
    """The list that came with the package: none is fetched, and none written to a cache.

    Its private part counts: alice.github.io and bob.github.io are two sites, run by two people.
    """
    from tldextract import TLDExtract  # 22 MB and a quarter of a second, which parser processes never need

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


def registrable_domain(name: str) -> str | None:
    """The registrable domain of a host name; None for addresses and for public suffixes themselves.

    Under a top-level domain that is not in the list, as inside a company, it is the last two labels, by the
    list's own rule "*".
    """
    if name.startswith("."):
        return None
    parts = _suffixes()(name)
    if parts.suffix:
        return parts.top_domain_under_public_suffix.lower() or None
    if parts.ipv4 or parts.ipv6:
        return None
    labels = name.lower().rstrip(".").split(".")
    return ".".join(labels[-2:]) if len(labels) > 1 else None


@lru_cache(maxsize=8192)
def site_of(host: str) -> str:
    """The registrable domain of a host; its bare name where there is none (addresses, "localhost")."""
    name = name_of(host)
    return registrable_domain(name) or name
