"""Runs every computation of a crawl once on tiny data, so that all of it is compiled.

Run as a process of its own, it compiles and caches what `preparation` then only reads.
"""

from __future__ import annotations

import fcntl
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from typing import Final

import numpy as np

from hinterland.analysis import graph_delta
from hinterland.analysis.estimates.estimation import Estimation
from hinterland.analysis.estimates.estimators import ESTIMATORS
from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.features.outside.rank_records import rank_records
from hinterland.crawler.policies import POLICIES
from hinterland.crawler.policies.warm_up import warm_up as warm_up_policy
from hinterland.distribution.installation import cache_folder

_NICENESS: Final = 5
"""The niceness of the compiling process, so that visits and parsers go first."""
_LOCK: Final = "compiling.lock"


@dataclass(frozen=True, slots=True)
class CrawlWarmUp:
    """What a crawl computes with, by name; "" for what it does without.

    `policy` is set if the policy ranks waiting pages, `estimator` if the crawl estimates, and `shared` is "yes" if
    links are packed for other shards.
    """

    policy: str = ""
    estimator: str = ""
    shared: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing needs to be compiled."""
        return self == CrawlWarmUp()

    @property
    def command(self) -> Sequence[str]:
        """The arguments of a Python process that compiles and caches everything."""
        return ["-m", f"{__package__}.warm_up", *astuple(self)]

    def run(self) -> None:
        """Run every computation once; code that is cached is only read."""
        if self.policy:
            warm_up_policy(self.policy)
        if self.shared:
            graph_delta.warm_up()
        if self.estimator:
            warm_up_estimates(self.estimator)


def warm_up_estimates(estimator: str) -> None:
    """Estimate three times on a web of four pages.

    Once before a page outside is crawled, once after the first, and once from the previous result.
    """
    log, estimation = LinkLog(), Estimation(estimator)
    for outside, (page, outlinks) in enumerate(((0, [1, 2]), (1, [0]), (2, [0, 3]))):
        log.append(page, np.array(outlinks, np.int32))
        crawled = log.snapshot(np.arange(4) == 0, np.zeros(4, np.int32))
        rank_records(crawled, estimation.estimate(crawled, outside))


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Let only one process of this user compile at a time, if possible; the others find the cached code."""
    folder = cache_folder(os.environ)
    try:
        if folder is None:
            raise FileNotFoundError
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / _LOCK).open("w", encoding="ascii")
    except OSError:
        yield
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _end_with_parent() -> None:
    """End this process when the process that started it closes the other end of stdin, or ends."""
    sys.stdin.buffer.read()
    os._exit(0)


def main(policy: str, estimator: str, shared: str) -> None:
    """Compile and cache what a crawl needs. Plug-ins are unknown here."""
    os.nice(_NICENESS)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    known = CrawlWarmUp(policy if policy in POLICIES else "", estimator if estimator in ESTIMATORS else "", shared)
    with _one_at_a_time():
        known.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
