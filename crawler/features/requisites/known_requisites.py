"""The requisites of all pages: which are known, and which are new on a page. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.features.requisites.settings import ALL, RequisiteSettings
from hinterland.crawler.features.requisites.tables import RequisitesFound, StoredRequisite
from hinterland.crawler.loop.files.file_queue import FileQueue, WantedFile
from hinterland.crawler.loop.files.known_files import KnownFiles
from hinterland.crawler.parsing.resources.references import ResourceKind
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import host_of, site_of

MOST_STEPS: Final = 10
"""How many style sheets, frames and redirects may lie between a page and its requisite."""

IsPage = Callable[[str], bool]
"""A function that returns whether a URL is a page that the crawl itself fetches."""


@dataclass(slots=True, kw_only=True)
class Requisite(WantedFile):
    """A requisite to fetch. `page` is the first page that needs it."""

    number: int
    kind: ResourceKind
    page: int
    depth: int


class KnownRequisites:
    """All requisites of a crawl. Mutable."""

    def __init__(
        self,
        settings: RequisiteSettings,
        is_page: IsPage,
        known: Iterable[tuple[str, int]] = (),
        waiting: Iterable[StoredRequisite] = (),
        old: Iterable[int] = (),
    ) -> None:
        """Start with what the store holds.

        `known` has the URL and the first page of each requisite, in the order of their numbers. A requisite whose
        number is in `old` is fetched again once a page is read that needs it.
        """
        self._old = set(old)
        self._is_everywhere = settings.fetch == ALL
        self._is_page = is_page
        self._files = KnownFiles[int](settings.max_per_page, known)
        self._canonicaliser = Canonicaliser()
        self.queue = FileQueue[Requisite]()
        for each in waiting:
            self._wait(each)

    def found(
        self,
        page: int,
        url: str,
        references: Sequence[tuple[int, str]],
        left_out: int = 0,
        *,
        inside: Requisite | None = None,
    ) -> RequisitesFound:
        """Queue the new references of a page, or of the requisite `inside`; return the record of all references.

        `url` is the URL of the page or of this requisite. The URLs of references are in WHATWG form.
        """
        site, depth = site_of(host_of(url)), 0 if inside is None else inside.depth + 1
        needed: dict[int, None] = {}
        new: list[StoredRequisite] = []
        for kind, href in references:
            target = self._canonicaliser.tidied(href)
            if not target or target == url or not (self._is_everywhere or site_of(host_of(target)) == site):
                continue
            number = self._files.find(target)
            if number is None:
                number = None if depth > MOST_STEPS else self._files.add(target, page)
                if number is None:
                    left_out += 1
                    continue
                new.append(StoredRequisite(number, target, ResourceKind(kind).name.lower(), page, depth))
                self._wait(new[-1])
            elif number in self._old and depth <= MOST_STEPS:
                self._old.discard(number)
                self._wait(StoredRequisite(number, target, ResourceKind(kind).name.lower(), page, depth))
            needed[number] = None
        self.queue.tally["left_out"] += left_out
        return RequisitesFound(page, list(needed), new, None if inside is None else inside.number, left_out)

    def knows(self, url: str) -> bool:
        """Return whether a URL in canonical form is a requisite that was found."""
        return self._files.find(url) is not None

    def is_page(self, file: Requisite) -> bool:
        """Return whether a requisite is a frame that the crawl fetches as a page anyway."""
        return file.kind in (ResourceKind.FRAME, ResourceKind.OBJECT) and self._is_page(file.url)

    def _wait(self, row: StoredRequisite) -> None:
        kind = ResourceKind[row.kind.upper()]
        self.queue.wait(Requisite(row.url, number=row.number, kind=kind, page=row.page, depth=row.depth))
