"""What becomes known from seeds, visits or archives: the one way in for hosts and pages. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from hinterland.storage.values.records import DiscoveriesRecord, HostRecord, PageRecord
from hinterland.storage.values.shards import HandedOver


@dataclass(slots=True)
class Discoveries:
    """The new hosts and pages of one visit or of the seeds, and which pages wait from now on.

    `admitted` are numbers of pages, new or known before, to be fetched; `admitted_hosts` and `admitted_urls` (None:
    only the store knows it) go with them. `readmitted` are (page, depth, 1 if local) of pages known before that wait
    now; `nearer` are (page, depth) of pages found on a shorter path. `followed` are pages outside, known before, that a
    link which may be followed leads to for the first time. `urls_left_out` counts new URLs that were not kept because
    their hosts have too many. `localised` are pages outside that had been admitted and turn out to be local.
    `handed_over` are pages for other shards. `is_announced` says that frontier, policy and features have been
    told of everything.
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
        """Return a record for the store, for discoveries that belong to no record of a visit."""
        return DiscoveriesRecord(
            self.new_hosts, self.new_pages, self.readmitted, self.localised, self.nearer, self.handed_over
        )
