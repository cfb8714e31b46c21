"""Signs in a crawl that its estimate may be wrong, even if later estimates hardly change.

An estimate is corrected when more pages are crawled. These corrections say nothing about pages that no known page links
to. The signs say how much such pages would matter. If a domain gets its rank from few outside pages, and its own links
lead out, its rank depends on pages that a crawl may never discover.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hinterland.analysis.compiled import compiled
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import BoolArray, FloatArray, IntArray, OffsetArray
from hinterland.analysis.pagerank import DAMPING


class CrawlSigns(NamedTuple):
    """The signs of one crawl, each from 0 to 1.

    `inside_rank` is the fraction of the local pages' PageRank that comes from links between local pages.
    `outward_links` is the fraction of the local pages' links that lead out of the domain.
    """

    inside_rank: float
    outward_links: float


NO_SIGNS: Final = CrawlSigns(0.0, 0.0)
"""The signs of a crawl without local pages."""


def crawl_signs(crawled: CrawledGraph, ranks: FloatArray) -> CrawlSigns:
    """Return the signs of a crawl; `ranks` is the outside model's PageRank of all known pages, shape (n,)."""
    if not len(crawled.local):
        return NO_SIGNS
    links = crawled.links
    given, held, inside, outward = _counted(
        crawled.local, links.offsets, links.targets, crawled.is_local, crawled.is_crawled, ranks
    )
    return CrawlSigns(DAMPING * given / held, outward / max(inside + outward, 1))


@compiled
def _counted(
    local: IntArray,
    offsets: OffsetArray,
    targets: IntArray,
    is_local: BoolArray,
    is_crawled: BoolArray,
    ranks: FloatArray,
) -> tuple[float, float, int, int]:
    """Return two ranks and two numbers of links.

    The ranks are what local pages give to crawled local pages, before damping, and what local pages have. The numbers
    are how many links of local pages lead to local pages, and how many to outside pages.
    """
    given, held = 0.0, 0.0
    inside, outward = 0, 0
    for place in range(len(local)):
        page = local[place]
        held += ranks[page]
        links = offsets[page + 1] - offsets[page]
        within, to_crawled = 0, 0
        for link in range(offsets[page], offsets[page + 1]):
            target = targets[link]
            within += is_local[target]
            to_crawled += is_local[target] and is_crawled[target]
        inside += within
        outward += links - within
        if links:
            given += ranks[page] * to_crawled / links
    return given, held, inside, outward
