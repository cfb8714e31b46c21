"""A crawl of a whole stored graph from one page, under a virtual clock: the order in which a policy fetches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hinterland.analysis.graph import Graph, IntArray
from hinterland.analysis.local_domain import LocalDomain
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.settings import PolitenessSettings
from hinterland.lab.experiments.simulation import SimulatedWeb, StoredReading
from hinterland.lab.experiments.virtual_crawl import CONNECTIONS, LatencyModel, virtual_crawl

_CANDIDATES = 20
_REFRESHES = 200


def crawl_order(
    graph: Graph,
    hosts: IntArray,
    policy: FrontierPolicy,
    seed: int,
    *,
    starts: IntArray | None = None,
    readings: Mapping[int, StoredReading] | None = None,
) -> IntArray:
    """Return the pages in the order in which the frontier of the live crawl would let them be visited.

    A host rests after each visit. All pages are local. The crawl begins at `starts`, by default at `starting_page`;
    pages that cannot be reached are left out. `readings` are shown to policies that learn about a topic, by page.
    """
    count = graph.page_count
    domain = LocalDomain("", graph, np.ones(count, np.bool_), hosts, np.full(count, 1 / max(count, 1)))
    web = SimulatedWeb.drawn(domain, seed)
    places = np.empty(count, np.int32)
    places[web.names] = np.arange(count, dtype=np.int32)
    starts = np.array([starting_page(graph)]) if starts is None else starts
    shown = {
        int(places[page]): replace(reading, targets=places[reading.targets])
        for page, reading in (readings or {}).items()
    }
    crawled = virtual_crawl(
        replace(web, seeds=places[starts], readings=shown),
        policy,
        {},
        budget=0,
        refresh_pages=max(1, count // _REFRESHES),
        politeness=PolitenessSettings(),
        latency=LatencyModel(),
        connections=CONNECTIONS,
        seed=seed,
    )
    return np.array(crawled.result.crawled, np.int32)


def starting_page(graph: Graph) -> int:
    """Return the page that reaches most other pages, chosen among the pages with most links.

    If several pages tie, it is the first of them. Raises ValueError for a graph without pages.
    """
    if not graph.page_count:
        raise ValueError("a graph without pages has no page to start from")
    candidates = np.argsort(-graph.outdegrees, kind="stable")[:_CANDIDATES].tolist()
    return int(max(candidates, key=lambda page: len(graph.reachable_from([page]))))
