"""What a crawl asks of its own process: open files, and a calm garbage collection."""

from __future__ import annotations

import gc
import os
import resource
from typing import Final

_OPEN_FILES: Final = 65_536
_OTHER_FILES: Final = 256  # the store, processes, pipes
_REQUEST_BYTES: Final = 200_000  # of a connection with TLS, its buffers and a body


def allow_many_connections() -> None:
    """Idle connections are kept for half a minute; over many hosts they exceed the usual soft limit of 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def most_requests() -> int:
    """How many requests at once this process has descriptors and memory for: half of both are for connections that are
    kept and for all else.
    """
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    descriptors = ((_OPEN_FILES if files == resource.RLIM_INFINITY else files) - _OTHER_FILES) // 2
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return max(1, min(descriptors, memory // _REQUEST_BYTES))


def collect_garbage_rarely() -> None:
    """A crawl makes many tuples and few cycles: with thresholds of 50,000, looking for cycles among them was in
    11 % of the samples of the main process, its idle ones included; and with Python's own a third of the time in which
    a store is read back.
    """
    gc.set_threshold(200_000, 50, 100)


def exempt_from_garbage_collection() -> None:
    """What there is now stays: nobody need look at it again."""
    gc.collect()
    gc.freeze()
