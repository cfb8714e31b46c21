"""Which lookups a crawl uses, by its settings."""

from __future__ import annotations

from crawler.fetching.names.lookups import Lookups


def open_lookups(source: str) -> Lookups:
    """Return lookups in the running event loop. source: fetching.lookups, "dns" or "system"."""
    if source == "system":
        from crawler.fetching.names.system import SystemLookups

        return SystemLookups()
    from crawler.fetching.names.dns import DnsLookups

    return DnsLookups()
