"""A frontier that hands out only pages which somebody has asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.waiting_pages import FloatArray, IntArray
from hinterland.crawler.settings import PolitenessSettings


class OnDemandFrontier(Frontier):
    """Pages that are added stand aside, with their hosts, until they are asked for: then they wait as any other. So no
    host is asked for anything, be it its robots.txt, before one of its pages is.
    """

    def __init__(self, settings: PolitenessSettings, **options: Any) -> None:
        super().__init__(settings, **options)
        self._aside: dict[int, int] = {}
        self._retry_at: dict[int, float] = {}

    def add(self, pages: IntArray, hosts: IntArray, urgencies: FloatArray, now: float) -> None:
        """Let pages stand aside; shape (k,) each."""
        self._aside.update(zip(pages.tolist(), hosts.tolist(), strict=True))

    def add_retrying(self, page: int, host: int, urgency: float, at: float) -> None:
        """Let a page stand aside that is not to be visited before `at`."""
        self._aside[page] = host
        self._retry_at[page] = at

    def aside(self) -> list[int]:
        """The pages that nobody has asked for, in the order in which they came."""
        return list(self._aside)

    def ask_for(self, page: int, now: float) -> bool:
        """Let a page wait; False if it does not stand aside."""
        host = self._aside.pop(page, None)
        if host is None:
            return False
        retry_at = self._retry_at.pop(page, None)
        if retry_at is None:
            super().add(np.array([page], np.int32), np.array([host], np.int32), np.zeros(1), now)
        else:
            super().add_retrying(page, host, 0.0, retry_at)
        return True
