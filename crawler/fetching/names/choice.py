"""Chooses the kind of lookups by the settings of a crawl."""

from __future__ import annotations

from hinterland.crawler.fetching.names.lookups import Lookups


def open_lookups(source: str) -> Lookups:
    """Return the lookups for the running event loop; `source` is the setting fetching.lookups, "dns" or "system"."""
    if source == "system":
        from hinterland.crawler.fetching.names.system import SystemLookups

        return SystemLookups()
    from hinterland.crawler.fetching.names.dns import DnsLookups

    return DnsLookups()
