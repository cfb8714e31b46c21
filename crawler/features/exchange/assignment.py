"""Which shard a host belongs to: rendezvous hashing of its site. Pure.

The shard with the highest weight gets the site (Thaler & Ravishankar, "Using name-based mappings to increase hit
rates", IEEE/ACM ToN 1998). When a shard is added to n shards, 1/(n + 1) of the sites move to it, and the others stay
where they are. All hosts of a site belong to one shard, because most links, and most redirects of robots.txt, stay
within a site.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from hinterland.crawler.urls.hosts import site_of


class Shards:
    """A fixed number of shards, numbered from 0. The number of shards and a site's name decide which shard gets it."""

    def __init__(self, count: int) -> None:
        """Divide all sites among `count` shards."""
        self.count = count

    def owner(self, host: str) -> int:
        """Return the shard of a host, such as "https://docs.example.org"."""
        return _owner(site_of(host), self.count)


@lru_cache(maxsize=8192)
def _owner(site: str, count: int) -> int:
    name = site.encode()
    return max(range(count), key=lambda shard: blake2b(name, digest_size=8, salt=shard.to_bytes(16, "big")).digest())
