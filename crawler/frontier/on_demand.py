"""A frontier that hands out only pages which somebody has asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from crawler.frontier.frontier import Frontier
from crawler.frontier.waiting_pages import FloatArray, IntArray
from crawler.settings import PolitenessSettings


class OnDemandFrontier(Frontier):
    """Pages that are added stand aside, with their hosts, until they are asked for: then they wait as any other. So no
    host is asked for anything, be it its robots.txt, before one of its pages is."""

    def __init__(self, settings: PolitenessSettings, **options: Any) -> None:
        super().__init__(settings, **options)
        self._aside: dict[int, int] = {}

    def add(self, pages: IntArray, hosts: IntArray, urgencies: FloatArray, now: float) -> None:
        """Let pages stand aside; shape (k,) each."""
        self._aside.update(zip(pages.tolist(), hosts.tolist(), strict=True))

    def aside(self) -> list[int]:
        """The pages that nobody has asked for, in the order in which they came."""
        return list(self._aside)

    def ask_for(self, page: int, now: float) -> bool:
        """Let a page wait; False if it does not stand aside."""
        host = self._aside.pop(page, None)
        if host is None:
            return False
        super().add(np.array([page], np.int32), np.array([host], np.int32), np.zeros(1), now)
        return True
