"""Queries about checks of links."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.schema import LINK_KINDS

_FOLLOWED: Final = json.dumps([LINK_KINDS.index(kind) for kind in ("a", "area", "frame", "iframe", "refresh")])
_LINKED: Final = (
    "SELECT DISTINCT there.url, 'page' FROM link JOIN page AS here ON here.id = link.source AND here.is_local"
    " JOIN page AS there ON there.id = link.target AND NOT there.is_local"
    " WHERE link.kind IN (SELECT value FROM json_each(?2))"
    " AND NOT EXISTS (SELECT 1 FROM link_check WHERE link_check.url = there.url AND checked_at >= ?1)"
)
_LOADED: Final = (
    "SELECT DISTINCT each.value, kinds.key FROM record JOIN page ON page.id = record.page AND page.is_local,"
    " json_each(record.fields) AS kinds, json_each(kinds.value) AS each"
    " WHERE record.name = 'page_references' AND kinds.key NOT IN ('frame', 'object')"
    " AND NOT EXISTS (SELECT 1 FROM link_check WHERE link_check.url = each.value AND checked_at >= ?1)"
)


def checks_since(store: StoreReader, at: float) -> Iterator[tuple[str, str]]:
    """Yield the URL and outcome of each check since the time `at`, in epoch seconds."""
    yield from store.connection.execute("SELECT url, outcome FROM link_check WHERE checked_at >= ?", (at,))


def unchecked(store: StoreReader, at: float) -> Iterator[tuple[str, str]]:
    """Yield the URL and kind of unchecked files that local pages load, and of unchecked outside pages they link to.

    An address is unchecked if it was not checked since the time `at`, in epoch seconds.
    """
    yield from store.connection.execute(_LOADED, (at,))
    yield from store.connection.execute(_LINKED, (at, _FOLLOWED))
