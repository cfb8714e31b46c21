"""Queries about the topic of a crawl and the relevance of its pages."""

from __future__ import annotations

import json

import numpy as np

from hinterland.storage.reading.subject_queries import SubjectQueries
from hinterland.storage.sorted_links.reading import links_to
from hinterland.storage.values.topics import RELEVANT, DrawRecord, LearntRecord, TopicRecord


class TopicQueries(SubjectQueries):
    """Queries about the topic; see StoreReader."""

    def topic(self) -> TopicRecord | None:
        """Return the topic of the crawl; None if it has none."""
        row = self._row("SELECT name, model, targets FROM topic")
        return None if row is None else TopicRecord(row["name"], row["model"], tuple(json.loads(row["targets"])))

    def relevance_of(self, page: int) -> float | None:
        """Return the relevance of a page; None if it was not judged."""
        found: float | None = self._value("SELECT probability FROM relevance WHERE page = ?", page)
        return found

    def relevant_neighbours(self, page: int, *, that_link_here: bool) -> tuple[int, int]:
        """Return how many of the pages that a page links to were judged, and how many of these are relevant.

        With `that_link_here`, the pages that link to this page are counted instead.
        """
        neighbours = "SELECT target FROM link WHERE source = ?1"
        parameters: list[object] = [page, RELEVANT]
        if that_link_here:
            neighbours = "SELECT value FROM json_each(?3)"
            sources = links_to(self._connection, np.array([page], np.int64)).values >> 1
            parameters.append(json.dumps(sources.tolist()))
        row = self._row(
            "SELECT count(*), coalesce(sum(probability >= ?2), 0) FROM relevance"
            f" WHERE page IN ({neighbours}) AND page <> ?1",
            *parameters,
        )
        assert row is not None  # an aggregate has one
        return row[0], row[1]

    def learnt(self) -> LearntRecord | None:
        """Return at which visit, and from how many pages, the policy last learnt; None if it has not learnt yet."""
        row = self._row("SELECT visit, pages FROM learnt")
        return None if row is None else LearntRecord(row["visit"], row["pages"])

    def draws(self, most: int) -> list[tuple[DrawRecord, float]]:
        """Return the latest visits of the exploration sample in order, each with the actual relevance of the page."""
        rows = self._rows(
            "SELECT drawn.page, promise, worth, turn, probability FROM drawn JOIN relevance USING (page)"
            " JOIN fetch USING (page) ORDER BY visit DESC LIMIT ?",
            most,
        )
        return [(DrawRecord(*row[:4]), row[4]) for row in reversed(rows)]

    def judged_after(self, visit: int) -> list[int]:
        """Return the judged pages whose last visit was after visit number `visit`, ascending."""
        rows = self._rows(
            "SELECT relevance.page FROM relevance JOIN fetch ON fetch.page = relevance.page WHERE visit > ?"
            " ORDER BY relevance.page",
            visit,
        )
        return [row[0] for row in rows]

    def counts(self, at_least: float = 0.5) -> tuple[int, int, int]:
        """Return the numbers of judged pages, of pages with at least this relevance, and of their sites."""
        row = self._row(
            "SELECT count(*), coalesce(sum(probability >= ?1), 0), count(DISTINCT iif(probability >= ?1, site, NULL))"
            " FROM relevance JOIN page ON page.id = relevance.page JOIN host ON host.id = page.host",
            at_least,
        )
        assert row is not None  # an aggregate has one
        return row[0], row[1], row[2]
