"""Of a store that is a part of a crawl: which part, and what it has for others."""

from __future__ import annotations

from hinterland.storage.reading.subject_queries import SubjectQueries
from hinterland.storage.values.shards import FoundPage, HandedOver, ShardMark


class ShardQueries(SubjectQueries):
    def mark(self) -> ShardMark | None:
        """None if it is a crawl of its own."""
        row = self._row('SELECT crawl, number, "of", epoch FROM shard')
        return None if row is None else ShardMark(*row)

    def handed_over(self) -> list[int]:
        """All pages that other shards were told of, or will be."""
        return [page for (page,) in self._rows("SELECT DISTINCT page FROM handed_over")]

    def unsent(self) -> list[HandedOver]:
        """Those that their shards do not have yet, as far as is known here."""
        rows = self._rows("SELECT page, shard, depth, redirects FROM handed_over WHERE NOT is_acknowledged")
        return [HandedOver(*row) for row in rows]

    def unsent_to(self, shard: int) -> list[HandedOver]:
        """The same for one shard."""
        return [each for each in self.unsent() if each.shard == shard]

    def to_send(self, shard: int, most: int) -> list[FoundPage]:
        """Some of them, for one shard, as it is told of them."""
        rows = self._rows(
            "SELECT page.id, page.url, handed_over.depth, handed_over.redirects FROM handed_over"
            " JOIN page ON page.id = handed_over.page WHERE NOT is_acknowledged AND shard = ? LIMIT ?",
            shard,
            most,
        )
        return [FoundPage(*row) for row in rows]
