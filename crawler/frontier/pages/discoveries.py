"""Collects the hosts and pages found in seeds, visits or archives, from which the whole crawl learns of them. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from hinterland.storage.values.records import DiscoveriesRecord, HostRecord, PageRecord
from hinterland.storage.values.shards import HandedOver


@dataclass(slots=True)
class Discoveries:
    """The new hosts and pages found in one visit or in the seeds, and the pages to be queued.

    `admitted` holds the numbers of the pages to be fetched, which may be new or known; `admitted_hosts` and
    `admitted_urls` are their hosts and URLs, None for a URL that only the store has. `readmitted` holds (page, depth, 1
    if local) of known pages that are queued now; `nearer` holds (page, depth) of pages to which a shorter path was
    found. `followed` are known outside pages to which a link that may be followed leads for the first time.
    `urls_left_out` counts new URLs that were not kept because their hosts have too many. `localised` are pages that
    were admitted or fetched as outside pages and turn out to be local. `handed_over` are pages for other shards.
    `is_announced` says that frontier, policy and features have learnt of everything here.
    """

    new_hosts: list[HostRecord] = field(default_factory=list)
    new_pages: list[PageRecord] = field(default_factory=list)
    admitted: list[int] = field(default_factory=list)
    admitted_hosts: list[int] = field(default_factory=list)
    admitted_urls: list[str | None] = field(default_factory=list)
    readmitted: list[tuple[int, int, int]] = field(default_factory=list)
    nearer: list[tuple[int, int]] = field(default_factory=list)
    followed: list[int] = field(default_factory=list)
    localised: list[int] = field(default_factory=list)
    handed_over: list[HandedOver] = field(default_factory=list)
    urls_left_out: int = 0
    is_announced: bool = False

    def record(self) -> DiscoveriesRecord:
        """Return the record of these discoveries for the store.

        A first visit does not need it, because its VisitRecord contains what it discovered.
        """
        return DiscoveriesRecord(
            self.new_hosts, self.new_pages, self.readmitted, self.localised, self.nearer, self.handed_over
        )
