"""A rehearsal of what a crawl computes beside its visits, on next to nothing, so that all of it is compiled.

As a process of its own it compiles and keeps what `preparation` then only reads.
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
from hinterland.crawler.policies.warm_up import warm_up as rehearse_policy
from hinterland.distribution.installation import cache_folder

_NICENESS: Final = 5
"""Of a process that compiles: visits and parsers go before."""
_LOCK: Final = "compiling.lock"


@dataclass(frozen=True, slots=True)
class Needs:
    """What a crawl computes with. policy: by name, if it ranks what waits; estimator: by name, if the crawl estimates;
    shared: "yes" if links are packed for other shards. Each "" if not.
    """

    policy: str = ""
    estimator: str = ""
    shared: str = ""

    @property
    def is_empty(self) -> bool:
        return self == Needs()

    @property
    def command(self) -> Sequence[str]:
        return ["-m", f"{__package__}.rehearsal", *astuple(self)]

    def rehearse(self) -> None:
        """Compute all of it; what was compiled and kept before is read."""
        if self.policy:
            rehearse_policy(self.policy)
        if self.shared:
            graph_delta.warm_up()
        if self.estimator:
            rehearse_estimates(self.estimator)


def rehearse_estimates(estimator: str) -> None:
    """Estimate thrice on a web of four pages: before a page outside is crawled, after the first, and from the result
    before.
    """
    log, estimation = LinkLog(), Estimation(estimator)
    for outside, (page, outlinks) in enumerate(((0, [1, 2]), (1, [0]), (2, [0, 3]))):
        log.append(page, np.array(outlinks, np.int32))
        crawled = log.snapshot(np.arange(4) == 0, np.zeros(4, np.int32))
        rank_records(crawled, estimation.estimate(crawled, outside))


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Of the processes of this user, if that can be arranged: the others find compiled what they wait for."""
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
    """The other end of stdin is held by whoever started this process."""
    sys.stdin.buffer.read()
    os._exit(0)


def main(policy: str, estimator: str, shared: str) -> None:
    """Compile what a crawl needs, and keep it. Plug-ins are not known here."""
    os.nice(_NICENESS)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    known = Needs(policy if policy in POLICIES else "", estimator if estimator in ESTIMATORS else "", shared)
    with _one_at_a_time():
        known.rehearse()


if __name__ == "__main__":
    main(*sys.argv[1:])
