"""Limits how many URLs of a host are kept, so that one host cannot fill the memory. Pure."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf

import numpy as np

_URLS_PER_PAGE = 1000


class HostUrlLimit:
    """Keeps at most `most` URLs of a host, and more only for a host with many fetched pages.

    A host may always have a thousand URLs for each of its pages whose links were added. Mutable: counts these pages and
    the URLs of each host. Counting of URLs begins when the crawl has more than `most` in all.
    """

    def __init__(self, most: int | None) -> None:
        """Start without hosts; without a limit if `most` is None."""
        self._most = inf if most is None else most
        self._answered = Counter[int]()
        self._sizes: array[int] | None = None

    def answered(self, host: int, pages: int = 1) -> None:
        """Note that the links of `pages` more pages of a host were added."""
        self._answered[host] += pages

    def host_added(self) -> None:
        """Note that there is another host."""
        if self._sizes is not None:
            self._sizes.append(0)

    def urls_added(self, hosts: Sequence[int]) -> None:
        """Note the host of each new URL."""
        if self._sizes is not None:
            for host in hosts:
                self._sizes[host] += 1

    def kept(self, new: dict[str, bool], host_numbers: Mapping[str, int], hosts_of_urls: array[int]) -> dict[str, bool]:
        """Return the part of `new` that the limits of the hosts allow.

        `new` maps each URL to a value that is passed on with it. `host_numbers` maps the URL of each known host to its
        number; `hosts_of_urls` holds the host of each known URL.
        """
        if len(hosts_of_urls) + len(new) <= self._most:
            return new
        sizes = self._counted(hosts_of_urls, len(host_numbers))
        rooms: dict[str, float] = {}
        kept = {}
        for url, value in new.items():
            host_url = url[: url.index("/", 8)]
            room = rooms.get(host_url)
            if room is None:
                host = host_numbers.get(host_url)
                room = self._most
                if host is not None:
                    room = max(room, _URLS_PER_PAGE * self._answered[host]) - sizes[host]
            if room > 0:
                kept[url] = value
            rooms[host_url] = room - 1
        return kept

    def _counted(self, hosts_of_urls: array[int], hosts: int) -> array[int]:
        """Return the number of URLs of each host, shape (hosts,).

        The first call counts all known URLs; after that, `urls_added` adds new ones.
        """
        if self._sizes is None:
            counts = np.bincount(np.frombuffer(hosts_of_urls, np.int32), minlength=hosts)
            self._sizes = array("i", counts.astype(np.int32).tobytes())
        return self._sizes
