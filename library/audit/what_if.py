"""How a new link would change the ranks of a site."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from hinterland.analysis.further_link import ranks_with_link
from hinterland.distribution.extras import need
from hinterland.library.audit.audited_store import AuditedStore
from hinterland.library.errors import StoreUnusable
from hinterland.library.page_numbers import number_of
from hinterland.storage.reading.opening import reading

MOVERS: Final = 5


@dataclass(frozen=True, slots=True)
class Moved:
    """A page's share of the site's rank, without and with the new link."""

    url: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class WhatIf:
    """How a link from `source` to `target` would change PageRank by the site's own links.

    `is_there` means that the link exists already, so nothing changes. `moved` are the other pages whose ranks would
    change most.
    """

    is_there: bool
    source: Moved
    target: Moved
    moved: tuple[Moved, ...]


def what_if(store: str | Path, source: str, target: str) -> WhatIf:
    """Return how a link between two local pages, given by URL, would change the ranks of the site.

    Raises MissingPackage, NoStore, and StoreUnusable for a URL that is not a local page of the store.
    """
    need("rank", by="what a link would do")
    with reading(Path(store)) as reader:
        audited = AuditedStore(reader)
        local = np.flatnonzero(audited.pages.is_local).astype(np.int32)
        ends = []
        for url in (source, target):
            page = number_of(url, reader)
            if page is None or not audited.pages.is_local[page]:
                raise StoreUnusable(f"{store} has no local page {url}")
            ends.append(int(np.searchsorted(local, page)))
        graph = audited.graph.among(local)
        before = audited.site_ranks.ranks[local]
        is_there = ends[0] == ends[1] or bool(np.isin(ends[1], graph.successors(ends[0])))
        after = before if is_there else ranks_with_link(graph, ends[0], ends[1], before)
        order = np.argsort(-np.abs(after - before), kind="stable")
        others = [int(place) for place in order[: MOVERS + 2] if int(place) not in ends][:MOVERS]
        urls = audited.urls_of(local[[*ends, *others]])

        def moved(place: int) -> Moved:
            return Moved(urls[int(local[place])], float(before[place]), float(after[place]))

        return WhatIf(is_there, moved(ends[0]), moved(ends[1]), tuple(moved(place) for place in others))
