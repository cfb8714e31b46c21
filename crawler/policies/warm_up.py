"""Runs a refresh once on tiny data, so that nothing has to be compiled while a crawl is under way."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.policies import make_policy


def warm_up(name: str) -> None:
    """Have a new policy refresh three times, on arrays of the same types as in a crawl, and discard it.

    Once before a page outside is crawled, once after the first, and once from the previous result. Compiling takes
    seconds the first time on a machine and holds the interpreter's lock, so that visits would stop; later the code is
    read from disk.
    """
    policy, log = make_policy(name, 0), LinkLog()
    policy.discovered(np.arange(4, dtype=np.int32), np.zeros(4, np.int32))
    for page, outlinks in ((0, [1, 2]), (1, [0, 3]), (2, [0, 1])):
        policy.fetched(page, np.array(outlinks, np.int32))
        log.append(page, np.array(outlinks, np.int32))
        crawled = log.snapshot(np.arange(4) == 0, np.zeros(4, np.int32))
        policy.begin_refresh(crawled, np.arange(page + 1, 4, dtype=np.int32), 1)()
