"""PageRank of the documents of an index: the rank of a document is the sum over the pages folded into it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from hinterland.analysis.chunked import Allocator, Places, chunks
from hinterland.analysis.estimates.estimators import DEFAULT_ESTIMATOR, ESTIMATORS, local_ranks
from hinterland.analysis.graph import BoolArray
from hinterland.analysis.mmap_graph import MmapGraph, zeros_in
from hinterland.crawler.features.outside.stored_crawl import crawled_graph
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.index_plan import IndexPlan
from hinterland.search.ranking import IndexedRanks
from hinterland.search.store.values.arrays import FloatArray
from hinterland.storage.reading.opening import reading
from hinterland.storage.stored_crawl import stored_crawl


def write_ranks(
    store: Path, folder: IndexFolder, plan: IndexPlan, estimator: str, least_relevance: float
) -> tuple[str, IndexedRanks | None]:
    """Compute and store PageRank; return the estimator's name and the ranks in the web.

    Returns "" and None if no page of the domain was fetched. Intermediate arrays are in files in the folder of the
    index.
    """
    zeros = partial(zeros_in, folder.path)
    with reading(store) as reports:
        stored = stored_crawl(reports.connection, least_relevance=least_relevance, zeros=zeros)
        crawled, is_fetched = crawled_graph(stored, zeros, partial(MmapGraph, folder=folder.path))
    if not any(is_fetched[crawled.local[part]].any() for part in chunks(len(crawled.local))):
        return "", None
    estimator = estimator or DEFAULT_ESTIMATOR
    web = _together(ESTIMATORS[estimator]().estimate(crawled), crawled.local, is_fetched, plan, zeros)
    crawled = crawled.afresh()  # frees what the estimator has derived
    site = _together(local_ranks(crawled), crawled.local, is_fetched, plan, zeros)
    folder.write_ranks(plan.pages, {"web": web, "site": site})
    return estimator, IndexedRanks(plan.pages, web)


def _together(ranks: FloatArray, pages: Places, is_shown: BoolArray, plan: IndexPlan, zeros: Allocator) -> FloatArray:
    """Return the summed rank of each document of the plan.

    `ranks` are the ranks of `pages`; other pages and pages that are not shown count as 0.
    """
    by_page: FloatArray = zeros(len(is_shown), np.float64)
    together: FloatArray = zeros(len(plan.pages), np.float64)
    for part in chunks(len(pages)):
        by_page[pages[part]] = np.where(is_shown[pages[part]], ranks[part], 0.0)
    for part in chunks(len(together)):
        together[part] = by_page[plan.pages[part]]
    owners, members = plan.members.owners, plan.members.members
    for part in chunks(len(owners)):
        np.add.at(together, np.searchsorted(plan.pages, owners[part]), by_page[members[part]])
    return together
