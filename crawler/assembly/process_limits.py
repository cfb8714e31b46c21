"""What a crawl needs from its own process: open files, and rare garbage collection."""

from __future__ import annotations

import gc
import os
import resource
from typing import Final

_OPEN_FILES: Final = 65_536
_OTHER_FILES: Final = 256  # the store, processes, pipes
_REQUEST_BYTES: Final = 200_000  # a connection with TLS, its buffers and a body


def allow_many_connections() -> None:
    """Raise the soft limit of open files.

    Idle connections are kept for half a minute; over many hosts they exceed the usual soft limit of 1024.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def most_requests() -> int:
    """Return how many concurrent requests this process has descriptors and memory for.

    Half of both is left for kept-alive connections and everything else.
    """
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    descriptors = ((_OPEN_FILES if files == resource.RLIM_INFINITY else files) - _OTHER_FILES) // 2
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return max(1, min(descriptors, memory // _REQUEST_BYTES))


def collect_garbage_rarely() -> None:
    """Make garbage collections rare, because a crawl makes many tuples and few cycles.

    With thresholds of 50,000, the search for cycles was in 11 % of the samples of the main process, its idle ones
    included; with Python's own thresholds it took a third of the time in which a store is restored.
    """
    gc.set_threshold(200_000, 50, 100)


def exempt_from_garbage_collection() -> None:
    """Move all current objects out of the garbage collector's reach."""
    gc.collect()
    gc.freeze()
