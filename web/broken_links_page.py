"""Broken links of all hosts, with the pages that contain them: as a page and as CSV."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from aiohttp import web
from numpy.typing import NDArray

from hinterland.library.text.broken_links_text import COLUMNS, broken_link_rows, reason
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.broken_links import BrokenKind, BrokenPage, BrokenTargets
from hinterland.storage.values.hosts import Host
from hinterland.web import parameters
from hinterland.web.answer_cache import CachedAnswer, Tell
from hinterland.web.csv_sending import send_rows
from hinterland.web.site import SITE, Site

CSV_PATH = "/broken-links.csv"

_PAGES = 25
_LINKS = 5
_AT_ONCE = 200
_LONGEST_OUTCOME = 100
_PATIENCE_SECONDS = 10.0
_ANY_STATUS = -1
_NO_STATUS = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter of broken links.

    `to_host` and `from_host` are numbers of hosts, -1 for any.
    """

    outcome: str
    status: int
    to_host: int
    from_host: int

    @classmethod
    def of(cls, request: web.Request) -> Choice:
        """Return the filter of a request.

        Raises BadParameter.
        """
        return cls(
            parameters.text(request.query, "outcome", _LONGEST_OUTCOME),
            parameters.number(request.query, "status", _ANY_STATUS, lowest=_ANY_STATUS, highest=999),
            parameters.number(request.query, "to", -1, lowest=-1),
            parameters.number(request.query, "from", -1, lowest=-1),
        )

    @property
    def linking_host(self) -> int | None:
        """The number of the host whose links are listed; None for all hosts."""
        return None if self.from_host < 0 else self.from_host

    def places(self, targets: BrokenTargets) -> NDArray[np.int64]:
        """Return the indices in `targets` of the broken pages that match the filter, ascending."""
        kinds = [
            place
            for place, kind in enumerate(targets.by_kind)
            if self.outcome in ("", kind.outcome) and self.status in (_ANY_STATUS, kind.status or _NO_STATUS)
        ]
        is_chosen = np.isin(targets.kinds, kinds)
        return np.flatnonzero(is_chosen & self._is_on_host(targets))

    def kinds(self, targets: BrokenTargets) -> list[BrokenKind]:
        """Return the reasons why pages on the chosen hosts are broken, the most frequent first."""
        found = []
        for place, kind in enumerate(targets.by_kind):
            is_of_kind = (targets.kinds == place) & self._is_on_host(targets)
            links = int(targets.linking_pages[is_of_kind].sum()) if targets.knows_links else None
            found.append(replace(kind, pages=int(is_of_kind.sum()), links=links))
        return sorted((kind for kind in found if kind.pages), key=lambda kind: -kind.pages)

    def _is_on_host(self, targets: BrokenTargets) -> NDArray[np.bool_]:
        if self.to_host < 0:
            return np.ones(len(targets.hosts), np.bool_)
        return np.asarray(targets.hosts == self.to_host, np.bool_)


async def broken_targets(site: Site, choice: Choice) -> CachedAnswer[BrokenTargets]:
    """Return the broken pages to which links lead.

    The result for all linking hosts is cached until the store is written to. The result for one linking host is
    computed when it is requested.
    """
    host = choice.linking_host
    if host is None:
        return await site.queries.kept.ask(
            "broken", _targets, what="The list of broken links", within=_PATIENCE_SECONDS
        )
    targets = await site.queries.ask_seldom(
        ("broken", host), lambda store: store.broken_links.targets(from_host=host), of_rows_alone=True
    )
    return CachedAnswer(targets, site.now(), True)


def _targets(store: StoreReader, tell: Tell) -> BrokenTargets:
    tell("reading the failures")
    return store.broken_links.targets(from_host=None)


def described(
    targets: BrokenTargets, places: NDArray[np.int64], choice: Choice, most_links: int | None
) -> Callable[[StoreReader], list[BrokenPage]]:
    """Return a store query for the pages at these indices of `targets`, each with up to `most_links` links to it.

    If `most_links` is None, the query returns all links.
    """
    host = choice.linking_host
    return lambda store: store.broken_links.described(targets, places.tolist(), most_links=most_links, from_host=host)


async def show_broken_links(request: web.Request) -> web.Response:
    """Show the broken links."""
    site = request.app[SITE]
    choice = Choice.of(request)
    offset = parameters.number(request.query, "offset", 0, highest=1_000 * parameters.MAX_OFFSET)
    kept = await broken_targets(site, choice)
    targets = kept.answer
    places = choice.places(targets)
    shown = described(targets, places[offset : offset + _PAGES], choice, _LINKS)

    def question(store: StoreReader) -> tuple[list[BrokenPage], Host | None, Host | None, int]:
        numbers = choice.to_host, choice.from_host
        to_host, from_host = (store.hosts.host(number) if number >= 0 else None for number in numbers)
        return shown(store), to_host, from_host, store.pages.counts().of("known")

    pages, to_host, from_host, never_asked = await site.queries.ask(question)
    return site.page(
        "broken_links.html",
        pages=pages,
        choice=choice,
        to_host=to_host,
        from_host=from_host,
        kinds=choice.kinds(targets),
        reason=reason,
        knows_links=targets.knows_links,
        total=len(places),
        linking=int(targets.linking_pages[places].sum()),
        never_asked=never_asked,
        offset=offset,
        step=_PAGES,
        shown_links=_LINKS,
        csv_path=CSV_PATH,
        kept=kept,
    )


async def send_broken_links(request: web.Request) -> web.StreamResponse:
    """Send all matching links as CSV, one row per link."""
    site = request.app[SITE]
    choice = Choice.of(request)
    targets = (await broken_targets(site, choice)).answer
    places = choice.places(targets)

    async def pieces() -> AsyncIterator[Iterable[Iterable[object]]]:
        for start in range(0, len(places), _AT_ONCE):
            question = described(targets, places[start : start + _AT_ONCE], choice, None)
            yield broken_link_rows(await site.queries.ask(question))

    return await send_rows(request, "broken-links.csv", COLUMNS, pieces())
