"""A frontier from which only requested pages are visited."""

from __future__ import annotations

from typing import Any

import numpy as np

from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.waiting_pages import FloatArray, IntArray
from hinterland.crawler.settings import PolitenessSettings


class OnDemandFrontier(Frontier):
    """A frontier that keeps new pages and their hosts aside until they are requested.

    Requested pages wait like any other page. So nothing is requested from a host, not even its robots.txt, before one
    of its pages is requested.
    """

    def __init__(self, settings: PolitenessSettings, **options: Any) -> None:
        """Start empty. The options are passed on to `Frontier`."""
        super().__init__(settings, **options)
        self._aside: dict[int, int] = {}
        self._retry_at: dict[int, float] = {}

    def add(self, pages: IntArray, hosts: IntArray, urgencies: FloatArray, now: float) -> None:
        """Set pages aside; all arrays have shape (k,)."""
        self._aside.update(zip(pages.tolist(), hosts.tolist(), strict=True))

    def add_retrying(self, page: int, host: int, urgency: float, at: float) -> None:
        """Set aside a page that failed and must not be visited before `at`."""
        self._aside[page] = host
        self._retry_at[page] = at

    def aside(self) -> list[int]:
        """Return the pages that have not been requested, in the order in which they were set aside."""
        return list(self._aside)

    def ask_for(self, page: int, now: float) -> bool:
        """Move a page from the pages set aside to the waiting pages; return False if it had not been set aside."""
        host = self._aside.pop(page, None)
        if host is None:
            return False
        retry_at = self._retry_at.pop(page, None)
        if retry_at is None:
            super().add(np.array([page], np.int32), np.array([host], np.int32), np.zeros(1), now)
        else:
            super().add_retrying(page, host, 0.0, retry_at)
        return True
