"""Slow pages that wait to be read, host by host in turn: those of one host delay another's by one page, not by all."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator

from hinterland.crawler.parsing.pool.jobs import ParseJob
from hinterland.crawler.urls.hosts import host_of


class FairHostQueue:
    """Mutable: the jobs that wait. A job that nobody waits for any more has no turn."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, deque[ParseJob]] = OrderedDict()
        """The host whose turn it is comes first."""

    def __len__(self) -> int:
        return sum(map(len, self._hosts.values()))

    def __iter__(self) -> Iterator[ParseJob]:
        for jobs in self._hosts.values():
            yield from jobs

    def append(self, job: ParseJob) -> None:
        """Let a page wait behind all others of its host."""
        self._hosts.setdefault(_host(job), deque()).append(job)

    def appendleft(self, job: ParseJob) -> None:
        """Let a page be the next one."""
        host = _host(job)
        self._hosts.setdefault(host, deque()).appendleft(job)
        self._hosts.move_to_end(host, last=False)

    def next(self) -> ParseJob | None:
        """The page whose turn it is; None if none waits."""
        while self._hosts:
            host, jobs = next(iter(self._hosts.items()))
            if not jobs[0].answer.done():
                return jobs[0]
            jobs.popleft()
            if not jobs:
                del self._hosts[host]
        return None

    def take(self) -> ParseJob:
        """Take out the page whose turn it is; there must be one."""
        job = self.next()
        assert job is not None, "no page waits"
        host = _host(job)
        jobs = self._hosts[host]
        jobs.popleft()
        if jobs:
            self._hosts.move_to_end(host)
        else:
            del self._hosts[host]
        return job

    def clear(self) -> None:
        self._hosts.clear()


def _host(job: ParseJob) -> str:
    return host_of(job.raw.url)
