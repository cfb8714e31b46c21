"""The time of a crawl: epoch seconds that never go back, even when somebody sets the clock."""

from __future__ import annotations

import time


class SteadyClock:
    """Reads the wall clock once and the monotonic clock from then on."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def __call__(self) -> float:
        return self._offset + time.monotonic()
