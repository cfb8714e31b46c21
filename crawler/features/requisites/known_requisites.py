"""The requisites of all pages: which are known, which wait at which host, and which was requested. Pure.

a page was read           -> found(page, url, references): what is new, for the store
a host may be asked       -> unasked(): hosts; next_of(host): its next requisite
it was requested          -> asked(host, wanted); answered(host) when the answer is there
its outcome is final      -> ended(...)
the host is given up      -> given_up(host): the requisites that will not be fetched
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.features.requisites.settings import ALL, RequisiteSettings
from hinterland.crawler.parsing.resources.references import ResourceKind
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import host_of, site_of
from hinterland.storage.values.requisites import RequisitesFound, StoredRequisite

MOST_STEPS: Final = 10
"""How many style sheets, frames and redirects may lie between a page and its requisite."""

IsPage = Callable[[str], bool]
"""Returns whether a URL is a page that the crawl itself fetches."""


@dataclass(slots=True)
class WantedRequisite:
    """A requisite that is to be fetched. `page` is the first page that needs it. Mutable: attempts are counted."""

    number: int
    url: str
    kind: ResourceKind
    page: int
    depth: int
    attempts: int = 0


class KnownRequisites:
    """All requisites of a crawl. Mutable."""

    def __init__(
        self,
        settings: RequisiteSettings,
        is_page: IsPage,
        known: Iterable[tuple[str, int]] = (),
        waiting: Iterable[StoredRequisite] = (),
        counts: dict[int, int] | None = None,
    ) -> None:
        """Start with what the store holds: URLs with their numbers, those that wait, and the number for each page."""
        self._is_everywhere = settings.fetch == ALL
        self._max_per_page = settings.max_per_page
        self._is_page = is_page
        self._numbers = dict(known)
        self._of_page = Counter(counts or {})
        self._waiting: dict[str, deque[WantedRequisite]] = {}
        self._unasked: dict[str, None] = {}
        self._asked: dict[int, WantedRequisite] = {}
        self._busy: set[str] = set()
        """The hosts of the requisites in `_asked`, by URL."""
        self._under_way = 0
        self._canonical = Canonicaliser().canonical
        self.tally = Counter[str]()
        for each in waiting:
            self.wait(WantedRequisite(each.number, each.url, ResourceKind[each.kind.upper()], each.page, each.depth))

    # ---------------------------------------------------------------- discoveries

    def found(
        self,
        page: int,
        url: str,
        references: Sequence[tuple[int, str]],
        left_out: int = 0,
        *,
        inside: WantedRequisite | None = None,
    ) -> RequisitesFound:
        """Note what a page, or the requisite `inside`, at a URL refers to; return the record for the store."""
        site, depth = site_of(host_of(url)), 0 if inside is None else inside.depth + 1
        needed: dict[int, None] = {}
        new: list[StoredRequisite] = []
        for kind, href in references:
            target = self._canonical(href)
            if target is None or target == url or not (self._is_everywhere or site_of(host_of(target)) == site):
                continue
            number = self._numbers.get(target)
            if number is None:
                if self._of_page[page] >= self._max_per_page or depth > MOST_STEPS:
                    left_out += 1
                    continue
                number = self._add(
                    StoredRequisite(len(self._numbers), target, ResourceKind(kind).name.lower(), page, depth), new
                )
            needed[number] = None
        self.tally["left_out"] += left_out
        return RequisitesFound(page, list(needed), new, None if inside is None else inside.number, left_out)

    def _add(self, row: StoredRequisite, new: list[StoredRequisite]) -> int:
        self._numbers[row.url] = row.number
        self._of_page[row.page] += 1
        new.append(row)
        self.wait(WantedRequisite(row.number, row.url, ResourceKind[row.kind.upper()], row.page, row.depth))
        return row.number

    def is_page(self, wanted: WantedRequisite) -> bool:
        """Return whether a frame is a page that the crawl fetches in any case."""
        return wanted.kind in (ResourceKind.FRAME, ResourceKind.OBJECT) and self._is_page(wanted.url)

    # ---------------------------------------------------------------- what to request next

    def wait(self, wanted: WantedRequisite) -> None:
        """Queue a requisite at its host."""
        host = host_of(wanted.url)
        self._waiting.setdefault(host, deque()).append(wanted)
        if host not in self._busy:
            self._unasked[host] = None

    def unasked(self) -> list[str]:
        """Return the hosts, by URL, that have waiting requisites and no request under way."""
        return list(self._unasked)

    def next_of(self, host: str) -> WantedRequisite | None:
        """Remove and return the next requisite of a host, by URL; None if none waits there."""
        self._unasked.pop(host, None)
        queue = self._waiting.get(host)
        if not queue:
            self._waiting.pop(host, None)
            return None
        return queue.popleft()

    def asked(self, host: int, wanted: WantedRequisite) -> None:
        """Note that a requisite was queued at a host, by number."""
        self._asked[host] = wanted
        self._busy.add(host_of(wanted.url))

    def asked_at(self, host: int) -> WantedRequisite | None:
        """Return the requisite that is queued or requested at a host, by number."""
        return self._asked.get(host)

    @property
    def hosts_asked(self) -> list[int]:
        """The hosts with a queued or requested requisite, by number."""
        return list(self._asked)

    def answered(self, host: int) -> None:
        """Note that the request at a host has ended; its requisite is under way until `ended` or `put_back`."""
        self._under_way += 1
        self._free(host)

    def put_back(self, wanted: WantedRequisite, *, is_tried: bool) -> None:
        """Queue a requisite again whose answer is not final."""
        self._under_way -= 1
        wanted.attempts += is_tried
        self.wait(wanted)

    def given_up(self, host: int) -> list[WantedRequisite]:
        """Return all requisites of a host that is given up; they no longer wait, and are under way."""
        wanted = self._asked.pop(host, None)
        if wanted is None:
            return []
        name = host_of(wanted.url)
        self._busy.discard(name)
        lost = [wanted, *self._waiting.pop(name, ())]
        self._under_way += len(lost)
        return lost

    def _free(self, host: int) -> None:
        name = host_of(self._asked.pop(host).url)
        self._busy.discard(name)
        if self._waiting.get(name):
            self._unasked[name] = None

    # ---------------------------------------------------------------- the end

    def ended(self, outcome: str) -> None:
        """Note that the outcome of a requisite that was under way is on its way into the store."""
        self._under_way -= 1
        self.tally[outcome] += 1

    def begins(self) -> None:
        """Note that a requisite is under way that was not requested."""
        self._under_way += 1

    @property
    def waiting(self) -> int:
        """How many requisites wait or are under way."""
        return sum(map(len, self._waiting.values())) + len(self._asked) + self._under_way

    @property
    def is_busy(self) -> bool:
        """Whether any requisite waits or is under way."""
        return bool(self._asked or self._under_way or self._unasked)
