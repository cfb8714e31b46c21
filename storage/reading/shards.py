"""Queries about a shard: which shard of a crawl the store is, and which pages it forwards to other shards."""

from __future__ import annotations

from hinterland.storage.reading.subject_queries import SubjectQueries
from hinterland.storage.values.shards import FoundPage, HandedOver, ShardMark


class ShardQueries(SubjectQueries):
    """Queries about the shard; see StoreReader."""

    def mark(self) -> ShardMark | None:
        """Return which shard the store is; None if it is a whole crawl."""
        row = self._row('SELECT crawl, number, "of", epoch FROM shard')
        return None if row is None else ShardMark(*row)

    def handed_over(self) -> list[int]:
        """Return all pages that were or will be forwarded to other shards."""
        return [page for (page,) in self._rows("SELECT DISTINCT page FROM handed_over")]

    def unsent(self) -> list[HandedOver]:
        """Return the forwarded pages that have not been acknowledged yet by their shards."""
        rows = self._rows("SELECT page, shard, depth, redirects FROM handed_over WHERE NOT is_acknowledged")
        return [HandedOver(*row) for row in rows]

    def unsent_to(self, shard: int) -> list[HandedOver]:
        """Return the unacknowledged pages for one shard."""
        return [each for each in self.unsent() if each.shard == shard]

    def to_send(self, shard: int, most: int) -> list[FoundPage]:
        """Return up to `most` unacknowledged pages for one shard, in the form in which they are sent."""
        rows = self._rows(
            "SELECT page.id, page.url, handed_over.depth, handed_over.redirects FROM handed_over"
            " JOIN page ON page.id = handed_over.page WHERE NOT is_acknowledged AND shard = ? LIMIT ?",
            shard,
            most,
        )
        return [FoundPage(*row) for row in rows]
