"""A run of a policy's refresh on tiny data before the crawl, so that nothing is compiled during the crawl."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.policies import make_policy


def warm_up(name: str) -> None:
    """Run three refreshes of a new policy, on arrays of the same types as in a crawl, and discard it.

    The three cases are: no outside page is crawled, one is crawled, and the refresh starts from the previous result.
    The first time on a machine, compilation takes seconds and holds the interpreter's lock, which would stop visits.
    Later, the compiled code is loaded from disk.
    """
    policy, log = make_policy(name, 0), LinkLog()
    policy.discovered(np.arange(4, dtype=np.int32), np.zeros(4, np.int32))
    for page, outlinks in ((0, [1, 2]), (1, [0, 3]), (2, [0, 1])):
        policy.fetched(page, np.array(outlinks, np.int32))
        log.append(page, np.array(outlinks, np.int32))
        crawled = log.snapshot(np.arange(4) == 0, np.zeros(4, np.int32))
        policy.begin_refresh(crawled, np.arange(page + 1, 4, dtype=np.int32), 1)()
