"""The tables of a store, and how each is treated.

A new table needs a migration and an entry: here, or in `TABLES` of `tables.py` in its feature's folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from hinterland.storage.values.feature_modules import modules_of_features
from hinterland.storage.values.table_spec import Joining, TableSpec

_CORE: Final[Mapping[str, TableSpec]] = {
    "topic": TableSpec(joining=Joining.ALIKE),
    "learnt": TableSpec(joining=Joining.LEFT_OUT),
    "relevance": TableSpec(pages=("page",), is_read=True),
    "drawn": TableSpec(pages=("page",)),
    "record": TableSpec(pages=("page",), is_read=True),
    "extracted": TableSpec(pages=("page",), is_read=True),
    "extraction": TableSpec(joining=Joining.ALIKE),
    "look": TableSpec(pages=("page",)),
    "change": TableSpec(pages=("page",)),
    "sitemap": TableSpec(joining=Joining.ALIKE),
    "signal": TableSpec(host="host"),
    "probed": TableSpec(joining=Joining.ALIKE),
    "slowed": TableSpec(host="host"),
    "rank": TableSpec(joining=Joining.LEFT_OUT),
    "estimate": TableSpec(joining=Joining.LEFT_OUT),
    "handed_over": TableSpec(joining=Joining.LEFT_OUT),
    "unsorted": TableSpec(joining=Joining.MADE, pages=("page",)),
    "unlinked": TableSpec(joining=Joining.LEFT_OUT, pages=("source", "target")),
    "sorted_block": TableSpec(joining=Joining.LEFT_OUT),
    "sorted_run": TableSpec(joining=Joining.LEFT_OUT),
    "shard": TableSpec(joining=Joining.LEFT_OUT),
    "link": TableSpec(pages=("source", "target"), is_read=True),
    "content": TableSpec(pages=("page",), is_read=True),
    "fetch": TableSpec(pages=("page", "redirect_target", "canonical")),
    "page": TableSpec(joining=Joining.MADE),
    "page_count": TableSpec(joining=Joining.MADE),
    "robots": TableSpec(host="host"),
    "host": TableSpec(joining=Joining.MADE),
    "run": TableSpec(joining=Joining.MADE),
    "link_kind": TableSpec(joining=Joining.MADE, is_fixed=True),
    "migration": TableSpec(joining=Joining.MADE, is_fixed=True),
}
"""learnt, rank and estimate are about the links that a single shard knows."""


class _Tables(Mapping[str, TableSpec]):
    """All tables by name. Those of features are looked for when they are first needed."""

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
    """Return the names of the tables that are joined in the given way."""
    return [name for name, table in TABLES.items() if table.joining is how]
