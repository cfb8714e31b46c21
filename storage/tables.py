"""The tables of a store, and how each is treated when pages are reopened, shards joined or copies made.

A new table needs a migration and an entry: here, or in `TABLES` of `tables.py` in its feature's folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from hinterland.storage.values.feature_modules import modules_of_features
from hinterland.storage.values.table_spec import EVERYTHING, NOTHING, Joining, TableSpec

_NOT_OPENED: Final = "each.url NOT IN (SELECT url FROM whole.opened)"
_CORE: Final[Mapping[str, TableSpec]] = {
    "opened": TableSpec(joining=Joining.ALIKE, public=NOTHING),
    "topic": TableSpec(joining=Joining.ALIKE, public=EVERYTHING),
    "learnt": TableSpec(joining=Joining.LEFT_OUT, public=NOTHING),
    "relevance": TableSpec(pages=("page",), is_read=True),
    "drawn": TableSpec(pages=("page",)),
    "record": TableSpec(pages=("page",), is_read=True),
    "extracted": TableSpec(pages=("page",), is_read=True),
    "extraction": TableSpec(joining=Joining.ALIKE, public=EVERYTHING),
    "look": TableSpec(pages=("page",)),
    "change": TableSpec(pages=("page",), public="each.page IN (SELECT old FROM page_of WHERE was_always_shown)"),
    "sitemap": TableSpec(joining=Joining.ALIKE, public=f"{_NOT_OPENED} AND each.host IN (SELECT url FROM host)"),
    "signal": TableSpec(host="host"),
    "probed": TableSpec(
        joining=Joining.ALIKE,
        public=f"{_NOT_OPENED} AND EXISTS (SELECT 1 FROM page WHERE url >= each.directory"
        " AND url < each.directory || char(1114111))",
    ),
    "slowed": TableSpec(host="host", public="each.host IN (SELECT old FROM host_of WHERE NOT has_hidden)"),
    "rank": TableSpec(joining=Joining.LEFT_OUT, pages=("page",)),
    "estimate": TableSpec(joining=Joining.LEFT_OUT, public=NOTHING),
    "handed_over": TableSpec(joining=Joining.LEFT_OUT, pages=("page",)),
    "unsorted": TableSpec(joining=Joining.MADE, pages=("page",), public=NOTHING),
    "unlinked": TableSpec(joining=Joining.LEFT_OUT, pages=("source", "target"), public=NOTHING),
    "sorted_block": TableSpec(joining=Joining.LEFT_OUT, public=NOTHING),
    "sorted_run": TableSpec(joining=Joining.LEFT_OUT, public=NOTHING),
    "shard": TableSpec(joining=Joining.LEFT_OUT, public=EVERYTHING),
    "link": TableSpec(pages=("source", "target"), is_read=True),
    "content": TableSpec(pages=("page",), is_read=True),
    "fetch": TableSpec(pages=("page", "redirect_target", "canonical")),
    "page": TableSpec(
        joining=Joining.MADE,
        public="each.id IN (SELECT old FROM page_of)",
        public_values={
            "id": "(SELECT new FROM page_of WHERE old = each.id)",
            "host": "(SELECT new FROM host_of WHERE old = each.host)",
            "state": "CASE WHEN (SELECT is_shown FROM page_of WHERE old = each.id) THEN each.state ELSE 'known' END",
            "referrer": "(SELECT new FROM page_of WHERE old = each.referrer AND was_always_shown)",
        },
    ),
    "page_count": TableSpec(joining=Joining.MADE, public=NOTHING),
    "robots": TableSpec(
        host="host",
        public="NOT EXISTS (SELECT 1 FROM opened_robots JOIN whole.host AS its ON its.id = each.host"
        " WHERE instr(opened_robots.url, its.site) > 0)",
    ),
    "host": TableSpec(
        joining=Joining.MADE,
        public="each.id IN (SELECT old FROM host_of)",
        public_values={"id": "(SELECT new FROM host_of WHERE old = each.id)"},
    ),
    "run": TableSpec(
        joining=Joining.MADE, public=EVERYTHING, public_values={"progress": "without_urls(each.progress)"}
    ),
    "link_kind": TableSpec(joining=Joining.MADE, is_fixed=True, public=EVERYTHING),
    "migration": TableSpec(joining=Joining.MADE, is_fixed=True, public=EVERYTHING),
}
"""learnt, rank and estimate are about the links that a single shard knows. In a public copy, robots.txt counts for all
hosts of a site, since one may have been redirected to another.
"""


class _Tables(Mapping[str, TableSpec]):
    """All tables by name. The tables of features are found in the features' folders when a table is first needed."""

    @cached_property
    def _all(self) -> dict[str, TableSpec]:
        of_features = {name: spec for each in modules_of_features("tables") for name, spec in each.TABLES.items()}
        return {**of_features, **_CORE}

    def __getitem__(self, name: str) -> TableSpec:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


TABLES: Final = _Tables()
"""The tables by name; a table follows the tables that refer to it."""


def joined(how: Joining) -> list[str]:
    """Return the names of the tables whose rows are treated in this way when shards are joined."""
    return [name for name, table in TABLES.items() if table.joining is how]
