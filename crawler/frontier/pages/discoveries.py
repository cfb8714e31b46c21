"""What becomes known, whether a seed, a visit or an archive names it: the one way for hosts and pages. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from hinterland.storage.values.records import DiscoveriesRecord, HostRecord, PageRecord
from hinterland.storage.values.shards import HandedOver


@dataclass(slots=True)
class Discoveries:
    """What one visit, or the seeds, brought to light: new hosts and pages, and which pages wait from now on.

    admitted: numbers of pages, new or known before, to be fetched; admitted_hosts and admitted_urls (None:
    only the store knows it) go with them. readmitted: (page, depth, 1 if local) of pages known before that wait
    now; nearer: (page, depth) of those found on a shorter way. followed: pages outside, known before, that a link
    which may be followed leads to for the first time. urls_left_out: how many new ones were not kept, as their hosts
    have too many. localised: pages outside that had been admitted and turn out to be local. handed_over:
    to other parts of the crawl. is_told: whether all that is found was told of them.
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
    is_told: bool = False

    def record(self) -> DiscoveriesRecord:
        """For the store, where no record of a visit has them."""
        return DiscoveriesRecord(
            self.new_hosts, self.new_pages, self.readmitted, self.localised, self.nearer, self.handed_over
        )
