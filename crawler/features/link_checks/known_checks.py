"""The addresses to check: which are known, which wait at which host, and which was requested. Pure.

a page was read        -> want(url, kind): queued, unless it is known already
a host may be asked    -> unasked(): hosts; next_of(host): its next address
it was requested       -> asked(host, wanted); answered(host) when the answer is there
its outcome is final   -> ended(outcome); or put_back(wanted) if it is to be asked again
the host is given up   -> given_up(host): the addresses that will not be asked
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import host_of

PAGE: Final = "page"
"""The kind of links to pages of other hosts; the other kinds are those of resources, in lower case."""
MOST_STEPS: Final = 10
"""How many redirects and style sheets may lie between a page and an address."""


@dataclass(slots=True)
class WantedCheck:
    """An address to check. Mutable: attempts are counted.

    `via` is the URL of the redirect or style sheet that led there, "" if a page did, and `steps` counts such. `by_get`
    says that HEAD was answered with an error, which GET must confirm.
    """

    url: str
    kind: str
    via: str = ""
    steps: int = 0
    attempts: int = 0
    by_get: bool = False


class KnownChecks:
    """All addresses of a crawl. Mutable. Known addresses are kept as 64-bit hashes, in 60 bytes each."""

    def __init__(
        self, max_per_host: int, is_ours: Callable[[str, str], bool], known: Iterable[tuple[str, str]]
    ) -> None:
        """Begin with the addresses that were checked, with their outcomes.

        `is_ours` tells, for a URL and its kind, whether the crawl fetches it in any case.
        """
        self._max_per_host = max_per_host
        self._is_ours = is_ours
        self._canonical = Canonicaliser(drop_parameters=()).canonical
        self._known = set[int]()
        self._of_host = Counter[str]()
        for url, outcome in known:
            self._known.add(_hash(url))
            if outcome != LEFT_OUT:
                self._of_host[host_of(url)] += 1
        self._waiting: dict[str, deque[WantedCheck]] = {}
        self._unasked: dict[str, None] = {}
        self._asked: dict[int, WantedCheck] = {}
        self._busy = set[str]()
        self._under_way = 0
        self._trusts_head: dict[str, bool] = {}
        self.tally = Counter[str]()

    # ---------------------------------------------------------------- discoveries

    def want(self, url: str, kind: str, via: str = "", steps: int = 0) -> Iterator[WantedCheck]:
        """Queue an address, unless it is known. Yield it if it is left out because its host has too many."""
        target = self._canonical(url)
        if target is None or steps > MOST_STEPS:
            return
        key = _hash(target)
        if key in self._known or self._is_ours(target, kind):
            return
        self._known.add(key)
        host, wanted = host_of(target), WantedCheck(target, kind, via, steps)
        if self._of_host[host] >= self._max_per_host:
            self.tally[LEFT_OUT] += 1
            yield wanted
            return
        self._of_host[host] += 1
        self._wait(wanted)

    def _wait(self, wanted: WantedCheck) -> None:
        host = host_of(wanted.url)
        self._waiting.setdefault(host, deque()).append(wanted)
        if host not in self._busy:
            self._unasked[host] = None

    # ---------------------------------------------------------------- how to ask

    def asks_by_head(self, wanted: WantedCheck) -> bool:
        """Return whether to ask by HEAD: unless the host has lied, or a style sheet is to be read."""
        is_read = wanted.kind == "style"
        return not (is_read or wanted.by_get or not self._trusts_head.get(host_of(wanted.url), True))

    def must_confirm(self, wanted: WantedCheck, status: int | None) -> bool:
        """Return whether GET must confirm an error that HEAD has shown.

        That an address does not exist is confirmed for the first one of each host; any other error may be about HEAD.
        """
        return status not in (404, 410) or host_of(wanted.url) not in self._trusts_head

    def compared(self, wanted: WantedCheck, *, is_there: bool) -> None:
        """Note what GET says of an address for which HEAD gave an error."""
        self._trusts_head[host_of(wanted.url)] = not is_there

    # ---------------------------------------------------------------- what to request next

    def unasked(self) -> list[str]:
        """Return the hosts, by URL, that have waiting addresses and no request under way."""
        return list(self._unasked)

    def next_of(self, host: str) -> WantedCheck | None:
        """Remove and return the next address of a host, by URL; None if none waits there."""
        self._unasked.pop(host, None)
        queue = self._waiting.get(host)
        if not queue:
            self._waiting.pop(host, None)
            return None
        return queue.popleft()

    def asked(self, host: int, wanted: WantedCheck) -> None:
        """Note that an address was queued at a host, by number."""
        self._asked[host] = wanted
        self._busy.add(host_of(wanted.url))

    def asked_at(self, host: int) -> WantedCheck | None:
        """Return the address that is queued or requested at a host, by number."""
        return self._asked.get(host)

    @property
    def hosts_asked(self) -> list[int]:
        """The hosts with a queued or requested address, by number."""
        return list(self._asked)

    def answered(self, host: int) -> None:
        """Note that the request at a host has ended; its address is under way until `ended` or `put_back`."""
        self._under_way += 1
        name = host_of(self._asked.pop(host).url)
        self._busy.discard(name)
        if self._waiting.get(name):
            self._unasked[name] = None

    def put_back(self, wanted: WantedCheck, *, is_tried: bool = False) -> None:
        """Queue an address again whose answer is not final: one to be confirmed as the next of its host."""
        self._under_way -= 1
        wanted.attempts += is_tried
        self._wait(wanted)
        if wanted.by_get and not is_tried:
            self._waiting[host_of(wanted.url)].rotate(1)

    def given_up(self, host: int) -> list[WantedCheck]:
        """Return all addresses of a host that is given up; they no longer wait, and are under way."""
        wanted = self._asked.pop(host, None)
        if wanted is None:
            return []
        name = host_of(wanted.url)
        self._busy.discard(name)
        lost = [wanted, *self._waiting.pop(name, ())]
        self._unasked.pop(name, None)
        self._under_way += len(lost)
        return lost

    def ended(self, outcome: str) -> None:
        """Note that the outcome of an address that was under way is on its way into the store."""
        self._under_way -= 1
        self.tally[outcome] += 1

    @property
    def waiting(self) -> int:
        """How many addresses wait or are under way."""
        return sum(map(len, self._waiting.values())) + len(self._asked) + self._under_way

    @property
    def is_busy(self) -> bool:
        """Whether any address waits or is under way."""
        return bool(self._asked or self._under_way or self._unasked)


LEFT_OUT: Final = "left_out"
"""The outcome of addresses beyond the limit of their host."""


def _hash(url: str) -> int:
    return int.from_bytes(blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest())
