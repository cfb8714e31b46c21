"""The files that a feature wants: which files wait at which host, and which file is requested there. Pure.

The methods to call, from the wish for a file to its outcome:

    a feature wants a file             -> wait(file)
    a host can be asked for a file     -> unasked() yields the host; next_of(host) returns the file
    the request is queued at the host  -> asked(host, file)
    the answer has arrived             -> answered(host)
    the outcome is final               -> ended(outcome)
    the file must be requested again   -> put_back(file)
    the host is given up               -> given_up(host) returns the files that will not be requested
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from hinterland.crawler.urls.hosts import host_of


@dataclass(slots=True)
class WantedFile:
    """A file to request. Mutable: attempts are counted."""

    url: str
    attempts: int = 0


File = TypeVar("File", bound=WantedFile)


class FileQueue(Generic[File]):
    """The wanted files of one feature, at each host in the order in which they were queued. Mutable."""

    def __init__(self) -> None:
        """Start empty."""
        self._waiting: dict[str, deque[File]] = {}
        self._unasked: dict[str, None] = {}
        self._asked: dict[int, File] = {}
        self._busy = set[str]()
        """The hosts of the files in `_asked`, by URL."""
        self.waiting = 0
        """The number of files that wait or are under way."""
        self.tally = Counter[str]()
        """The number of files with each outcome."""

    @property
    def is_busy(self) -> bool:
        """Whether any file waits or is under way."""
        return self.waiting > 0

    def wait(self, file: File, *, is_next: bool = False) -> None:
        """Queue a file at its host: as the last one, or as the next one if `is_next`."""
        host = host_of(file.url)
        queue = self._waiting.setdefault(host, deque())
        if is_next:
            queue.appendleft(file)
        else:
            queue.append(file)
        self.waiting += 1
        if host not in self._busy:
            self._unasked[host] = None

    # ---------------------------------------------------------------- what to request next

    def unasked(self, at_most: int) -> Iterator[str]:
        """Yield the URLs of hosts with waiting files and no request, until `at_most` hosts have a request.

        The caller requests the next file of each host.
        """
        while self._unasked and len(self._asked) < at_most:
            host = next(iter(self._unasked))
            del self._unasked[host]
            yield host

    def next_of(self, host: str) -> File | None:
        """Remove and return the next file of the host with this URL; None if no file waits.

        The file then counts as under way.
        """
        queue = self._waiting.get(host)
        if not queue:
            self._waiting.pop(host, None)
            return None
        return queue.popleft()

    def asked(self, host: int, file: File) -> None:
        """Note that the request for a file was queued at the host with this number."""
        self._asked[host] = file
        self._busy.add(host_of(file.url))

    def asked_at(self, host: int) -> File | None:
        """Return the file whose request is queued or under way at the host with this number; None if there is none."""
        return self._asked.get(host)

    @property
    def hosts_asked(self) -> list[int]:
        """The numbers of the hosts with a request that is queued or under way."""
        return list(self._asked)

    # ---------------------------------------------------------------- answers

    def answered(self, host: int) -> None:
        """Note that the request at a host has ended; its file is under way until `ended` or `put_back`."""
        name = host_of(self._asked.pop(host).url)
        self._busy.discard(name)
        if self._waiting.get(name):
            self._unasked[name] = None

    def put_back(self, file: File, *, is_tried: bool = False, is_next: bool = False) -> None:
        """Put a file that was under way back into the queue; with `is_tried`, count an attempt."""
        self.waiting -= 1
        file.attempts += is_tried
        self.wait(file, is_next=is_next)

    def given_up(self, host: int) -> list[File]:
        """Remove and return all files of a host that is given up; from now on they count as under way."""
        file = self._asked.pop(host, None)
        if file is None:
            return []
        name = host_of(file.url)
        self._busy.discard(name)
        return [file, *self._waiting.pop(name, ())]

    def ended(self, outcome: str) -> None:
        """Note that the outcome of a file that was under way is being stored."""
        self.waiting -= 1
        self.tally[outcome] += 1
