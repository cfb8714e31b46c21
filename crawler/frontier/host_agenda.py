"""Chooses the purpose of the next visit to a host: a task, a page never tried, or a page to try again. Pure."""

from __future__ import annotations

from collections import deque
from math import inf

from hinterland.crawler.frontier.closed_hosts import ClosedHosts
from hinterland.crawler.frontier.host_places import TASKS_FIRST
from hinterland.crawler.frontier.hosts import HostState
from hinterland.crawler.frontier.ready_hosts import Key
from hinterland.crawler.frontier.retries import Retries
from hinterland.crawler.frontier.visits import HostTask, HostTaskKind
from hinterland.crawler.frontier.waiting_pages import WaitingPages


class HostAgenda:
    """Chooses the next task or page for which a host is visited."""

    def __init__(self, pages: WaitingPages, retries: Retries, closed: ClosedHosts) -> None:
        """Choose among these pages."""
        self._pages = pages
        self._retries = retries
        self._closed = closed

    def key(self, host: HostState) -> Key | None:
        """Return the key that orders the host among ready hosts; None if the host has nothing to visit."""
        if host.tasks and not (host.robots_pending and host.tasks[0].needs_robots):
            return (-inf, TASKS_FIRST, host.number)
        if host.robots_pending or self._closed.is_full(host):
            return None
        head, again = self._pages.head(host.number), self._retries.head(host.number)
        if head is None or (again is not None and again < head):
            head = again
        return None if head is None else (*head, host.number)

    def add_task(self, task: HostTask, host: HostState, *, is_first: bool = False) -> None:
        """Add a task at the end of the host's tasks, or with `is_first` at their beginning.

        A task that does not need the robots.txt goes before all tasks at the end that do. Behind them, a request that
        reads the robots.txt would never be made.
        """
        if host.tasks is None:
            host.tasks = deque()
        place = 0 if is_first else len(host.tasks)
        while place and not task.needs_robots and host.tasks[place - 1].needs_robots:
            place -= 1
        host.tasks.insert(place, task)

    def take_task(self, host: HostState, now: float) -> HostTask | None:
        """Remove and return the task to do at a host before its next page; None if there is none."""
        if not host.resolved:
            return HostTask(HostTaskKind.RESOLVE, host.number)
        knows_robots = host.robots_until > now or host.robots_unused
        if host.tasks and (knows_robots or not host.tasks[0].needs_robots):
            return host.tasks.popleft()
        if not knows_robots:
            return HostTask(HostTaskKind.ROBOTS, host.number)
        if host.good_page >= 0 and self._retries.is_doubting(host.number):
            has_others = self._retries.has_due(host.number) or self._pages.head(host.number) is not None
            if host.failures >= 2 or not has_others:
                return HostTask(HostTaskKind.PROBE, host.number, page=host.good_page)
        return None

    def take_page(self, host: HostState) -> int:
        """Remove and return the host's next page: the most urgent page never tried, or one that is due for a retry.

        Pages of the two kinds alternate. While the host is failing, pages never tried come first. A doubted page is
        taken only if there is no other.
        """
        retries = self._retries
        host.was_doubted = False
        if not retries.has_any(host.number):
            host.retried_last = False
            return self._pages.take(host.number)
        has_fresh = self._pages.head(host.number) is not None
        if retries.has_due(host.number) and not (has_fresh and (host.failures or host.retried_last)):
            host.retried_last = True
            return retries.take_due(host.number)
        host.retried_last = False
        if has_fresh:
            return self._pages.take(host.number)
        host.was_doubted = True
        return retries.take_doubted(host.number)
