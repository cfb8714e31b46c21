"""A queue of slow pages that serves hosts in turn, so that a host with many slow pages does not delay others."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator

from hinterland.crawler.parsing.pool.jobs import ParseJob
from hinterland.crawler.urls.hosts import host_of


class FairHostQueue:
    """A queue of jobs, round robin by host; it skips jobs whose results nobody awaits any more. Mutable."""

    def __init__(self) -> None:
        """Start empty."""
        self._hosts: OrderedDict[str, deque[ParseJob]] = OrderedDict()
        """The jobs of each host; the host whose turn it is comes first."""

    def __len__(self) -> int:
        """Return the number of queued jobs."""
        return sum(map(len, self._hosts.values()))

    def __iter__(self) -> Iterator[ParseJob]:
        """Iterate over the queued jobs, host by host."""
        for jobs in self._hosts.values():
            yield from jobs

    def append(self, job: ParseJob) -> None:
        """Queue a job behind all others of its host."""
        self._hosts.setdefault(_host(job), deque()).append(job)

    def appendleft(self, job: ParseJob) -> None:
        """Make a job the next one."""
        host = _host(job)
        self._hosts.setdefault(host, deque()).appendleft(job)
        self._hosts.move_to_end(host, last=False)

    def next(self) -> ParseJob | None:
        """Return the next job without removing it, or None if the queue is empty."""
        while self._hosts:
            host, jobs = next(iter(self._hosts.items()))
            if not jobs[0].answer.done():
                return jobs[0]
            jobs.popleft()
            if not jobs:
                del self._hosts[host]
        return None

    def take(self) -> ParseJob:
        """Remove and return the next job; there must be one."""
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
        """Drop all jobs."""
        self._hosts.clear()


def _host(job: ParseJob) -> str:
    return host_of(job.raw.url)
