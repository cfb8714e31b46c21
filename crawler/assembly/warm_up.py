"""Runs every computation of a crawl once on tiny data, so that all its code is compiled.

As a separate process, this module compiles and caches the code; `preparation` then only loads it.
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
from hinterland.crawler.features.outside.feature import OutsideSampling, estimator_of
from hinterland.crawler.features.outside.rank_records import rank_records
from hinterland.crawler.features.outside.settings import HinterlandSettings
from hinterland.crawler.loop.crawl_start import CoreState
from hinterland.crawler.loop.decisions.features import Features
from hinterland.crawler.policies import POLICIES
from hinterland.crawler.policies.warm_up import warm_up as warm_up_policy
from hinterland.crawler.settings import Settings
from hinterland.distribution.installation import cache_folder

_NICENESS: Final = 5
"""The niceness of the compiling process, so that visits and parsers take precedence."""
_LOCK: Final = "compiling.lock"


@dataclass(frozen=True, slots=True)
class CrawlWarmUp:
    """The computations of a crawl that need compiling, by name; "" for a computation that the crawl does not use.

    `policy` is set if the policy ranks waiting pages, and `estimator` if the crawl computes estimates. `shared` is
    "yes" if links are packed for other shards.
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
        """Run every computation once; cached code is only loaded."""
        if self.policy:
            warm_up_policy(self.policy)
        if self.shared:
            graph_delta.warm_up()
        if self.estimator:
            warm_up_estimates(self.estimator)


def warm_up_of(settings: Settings, core: CoreState, features: Features) -> CrawlWarmUp:
    """Return the computations that a crawl makes in addition to its visits."""
    estimates = any(isinstance(feature, OutsideSampling) for feature in features.all)
    return CrawlWarmUp(
        policy=settings.policy.name if core.policy.needs_refresh else "",
        estimator=estimator_of(settings.of(HinterlandSettings)) if estimates else "",
        shared="yes" if core.known.has_names else "",
    )


def warm_up_estimates(estimator: str) -> None:
    """Estimate three times on a web of four pages.

    The first estimate has no crawled outside page, the second has one, and the third starts from the previous result.
    """
    log, estimation = LinkLog(), Estimation(estimator)
    for outside, (page, outlinks) in enumerate(((0, [1, 2]), (1, [0]), (2, [0, 3]))):
        log.append(page, np.array(outlinks, np.int32))
        crawled = log.snapshot(np.arange(4) == 0, np.zeros(4, np.int32))
        rank_records(crawled, estimation.estimate(crawled, outside))


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Context manager: wait, if possible, until no other process of this user compiles.

    So each process finds the code that the others have compiled in the cache, and does not compile it again.
    """
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
    """Wait until the parent process closes its end of stdin, or ends; then end this process."""
    sys.stdin.buffer.read()
    os._exit(0)


def main(policy: str, estimator: str, shared: str) -> None:
    """Compile and cache the code that a crawl needs. Policies and estimators from plug-ins are ignored."""
    os.nice(_NICENESS)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    known = CrawlWarmUp(policy if policy in POLICIES else "", estimator if estimator in ESTIMATORS else "", shared)
    with _one_at_a_time():
        known.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
