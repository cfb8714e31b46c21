"""Queries about the requisites of pages."""

from __future__ import annotations

from collections.abc import Iterator

from hinterland.storage.reading.subject_queries import SubjectQueries
from hinterland.storage.values.requisites import MissingRequisite, RequisiteCount, StoredRequisite

_MISSING = """
WITH RECURSIVE needed (number) AS (
    SELECT requisite FROM page_requisite WHERE page = ?
    UNION SELECT part FROM requisite_part JOIN needed ON requisite = needed.number)
SELECT url, kind, outcome, detail FROM requisite JOIN needed USING (number)
WHERE outcome IS NULL OR outcome NOT IN ('fetched', 'redirected', 'page') ORDER BY number
"""


class RequisiteQueries(SubjectQueries):
    """Requisites of pages."""

    def known(self) -> list[tuple[str, int]]:
        """Return the URL and number of every requisite."""
        return self._connection.execute("SELECT url, number FROM requisite").fetchall()

    def waiting(self) -> list[StoredRequisite]:
        """Return the requisites that wait to be fetched, in the order of their discovery."""
        sql = "SELECT number, url, kind, page, depth FROM requisite WHERE outcome IS NULL ORDER BY number"
        return [StoredRequisite(*row) for row in self._connection.execute(sql)]

    def counts_of_pages(self) -> dict[int, int]:
        """Return how many requisites each page was the first to need."""
        return dict(self._connection.execute("SELECT page, count(*) FROM requisite GROUP BY page"))

    def counts(self) -> list[RequisiteCount]:
        """Return how many requisites had each outcome, the most frequent first."""
        sql = "SELECT outcome, count(*), coalesce(sum(bytes), 0) FROM requisite GROUP BY 1 ORDER BY 2 DESC, 1"
        return [RequisiteCount(*row) for row in self._connection.execute(sql)]

    def bodies(self, *, is_public: bool = False) -> Iterator[tuple[str, float, str | None, bytes | None]]:
        """Yield URL, time, content type and body (a zstd frame, None if it was not kept) of all that were fetched.

        `is_public` leaves out those that a login opened.
        """
        sql = (
            "SELECT url, fetched_at, content_type, body FROM requisite LEFT JOIN requisite_body USING (digest)"
            " WHERE outcome = 'fetched' AND (opened_by IS NULL OR NOT ?) ORDER BY number"
        )
        yield from self._connection.execute(sql, (is_public,))

    def missing_of(self, page: int) -> list[MissingRequisite]:
        """Return the requisites that a page lacks, those of its style sheets and frames included."""
        return [MissingRequisite(*row) for row in self._connection.execute(_MISSING, (page,))]

    def pages_lacking(self, limit: int) -> list[tuple[str, int]]:
        """Return the pages that lack most of their own requisites, by URL, with how many they lack."""
        sql = (
            "SELECT page.url, count(*) FROM page_requisite JOIN requisite ON number = requisite"
            " JOIN page ON page.id = page_requisite.page"
            " WHERE outcome IS NULL OR outcome NOT IN ('fetched', 'redirected', 'page')"
            " GROUP BY page.id ORDER BY 2 DESC, page.id LIMIT ?"
        )
        return self._connection.execute(sql, (limit,)).fetchall()
