"""Queries about checks of links."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hinterland.storage.reading.subject_queries import SubjectQueries
from hinterland.storage.schema import LINK_KINDS

_FOLLOWED = json.dumps([LINK_KINDS.index(kind) for kind in ("a", "area", "frame", "iframe", "refresh")])
_LINKED = (
    "SELECT DISTINCT there.url FROM link JOIN page AS here ON here.id = link.source AND here.is_local"
    " JOIN page AS there ON there.id = link.target AND NOT there.is_local"
    " WHERE link.kind IN (SELECT value FROM json_each(?2))"
    " AND NOT EXISTS (SELECT 1 FROM link_check WHERE link_check.url = there.url AND checked_at >= ?1)"
)
_LOADED = (
    "SELECT DISTINCT each.value, kinds.key FROM record JOIN page ON page.id = record.page AND page.is_local,"
    " json_each(record.fields) AS kinds, json_each(kinds.value) AS each"
    " WHERE record.name = 'page_references' AND kinds.key NOT IN ('frame', 'object')"
    " AND NOT EXISTS (SELECT 1 FROM link_check WHERE link_check.url = each.value AND checked_at >= ?1)"
)


class LinkCheckQueries(SubjectQueries):
    """Checks of links."""

    def since(self, at: float) -> list[tuple[str, str]]:
        """Return the URL and outcome of each check since then, in epoch seconds."""
        sql = "SELECT url, outcome FROM link_check WHERE checked_at >= ?"
        return self._connection.execute(sql, (at,)).fetchall()

    def pending(self, at: float) -> Iterator[tuple[str, str]]:
        """Yield the URL and kind of all that local pages load and link to, and that was not checked since then."""
        yield from self._connection.execute(_LOADED, (at,))
        for (url,) in self._connection.execute(_LINKED, (at, _FOLLOWED)):
            yield url, "page"
