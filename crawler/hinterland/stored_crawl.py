"""The graph of a crawl that is in a store, as the crawl itself had it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.crawled_graph import CrawledGraph
from analysis.link_log import LinkLog
from storage.report_records import StoredCrawl


def crawled_graph(stored: StoredCrawl) -> tuple[CrawledGraph, NDArray[np.bool_]]:
    """The graph, and which pages were fetched and are HTML; shape (n,)."""
    log = LinkLog()
    targets = np.frombuffer(stored.targets, np.int32)
    start = 0
    for page, end in zip(stored.order, stored.ends, strict=True):
        log.append(page, targets[start:end])
        start = end
    is_local = np.frombuffer(stored.is_local, np.bool_)
    crawled = log.snapshot(is_local, np.frombuffer(stored.hosts, np.int32))
    return crawled, np.frombuffer(stored.is_fetched, np.bool_)
