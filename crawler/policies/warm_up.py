"""A rehearsal of a refresh, so that nothing has to be compiled while a crawl is under way."""

from __future__ import annotations

import numpy as np

from analysis.link_log import LinkLog
from crawler.policies import make_policy


def warm_up(name: str) -> None:
    """Have a policy that is thrown away afterwards refresh twice, on arrays of the same types as those of a crawl.

    Twice, since a second refresh begins at the result of the first. Compiling takes seconds the first time on a
    machine and holds the interpreter's lock, so visits would stand still; later it is read from disk.
    """
    policy, log = make_policy(name, 0), LinkLog()
    policy.discovered(np.arange(4, dtype=np.int32), np.zeros(4, np.int32))
    for page, outlinks in ((0, [1, 2]), (1, [0, 3])):
        policy.fetched(page, np.array(outlinks, np.int32))
        log.append(page, np.array(outlinks, np.int32))
        crawled = log.snapshot(np.ones(4, np.bool_), np.zeros(4, np.int32))
        policy.begin_refresh(crawled, np.arange(page + 1, 4, dtype=np.int32), 1)()
