"""A rehearsal of a refresh, so that nothing has to be compiled while a crawl is under way."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.policies import make_policy


def warm_up(name: str) -> None:
    """Have a policy that is thrown away afterwards refresh thrice, on arrays of the same types as those of a crawl:
    before a page outside is crawled, after the first, and from the result before.

    Compiling takes seconds the first time on a machine and holds the interpreter's lock, so visits would stand still;
    later it is read from disk.
    """
    policy, log = make_policy(name, 0), LinkLog()
    policy.discovered(np.arange(4, dtype=np.int32), np.zeros(4, np.int32))
    for page, outlinks in ((0, [1, 2]), (1, [0, 3]), (2, [0, 1])):
        policy.fetched(page, np.array(outlinks, np.int32))
        log.append(page, np.array(outlinks, np.int32))
        crawled = log.snapshot(np.arange(4) == 0, np.zeros(4, np.int32))
        policy.begin_refresh(crawled, np.arange(page + 1, 4, dtype=np.int32), 1)()
