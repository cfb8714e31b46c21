"""How many pages of the local domain link to each page."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import BoolArray, IntArray, OffsetArray


def local_inlink_counts(crawled: CrawledGraph) -> IntArray:
    """Return how many crawled local pages link to each known page, shape (n,).

    This is OutlinkCount (Davis & Dhillon, KDD 2006).
    """
    return _counted_from(crawled.order, crawled.ends, crawled.targets, crawled.is_local)


@compiled
def _counted_from(pages: IntArray, ends: OffsetArray, targets: IntArray, is_counted: BoolArray) -> IntArray:
    counts = np.zeros(len(is_counted), np.int32)
    for i in range(len(pages)):
        if is_counted[pages[i]]:
            for link in range(ends[i - 1] if i else 0, ends[i]):
                counts[targets[link]] += 1
    return counts
