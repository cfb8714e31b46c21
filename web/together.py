"""Several stores in one server, or the parts of one: the first at the top, the pages of each other one below it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from aiohttp import web

from hinterland.web.application import application
from hinterland.web.crawl_parts import CrawlPart
from hinterland.web.neighbours import Neighbour
from hinterland.web.searches import Searches
from hinterland.web.store_queries import StoreQueries


def put_below(
    top: web.Application,
    neighbours: Sequence[Neighbour],
    searches: Sequence[Searches],
    *,
    only_this_machine: bool,
    base_url: str = "",
) -> None:
    """neighbours: all stores, that of `top` first. searches: of each of the others by itself. The rest as for
    `application`.
    """
    for neighbour, own in zip(neighbours[1:], searches, strict=True):
        pages = application(
            Path(neighbour.store),
            own,
            only_this_machine=only_this_machine,
            base_url=base_url,
            path=neighbour.path,
            neighbours=neighbours,
        )
        top.add_subapp(neighbour.path, pages)


def parts_application(
    stores: Mapping[int, Path], searches: Searches, *, only_this_machine: bool, base_url: str = ""
) -> web.Application:
    """A crawl whose parts are not joined yet. stores: of the parts, by number, from 0; searches: of the store that they
    will be joined in. The rest as for `application`.
    """
    parts = [
        CrawlPart(number + 1, f"/part/{number + 1}" if place else "", StoreQueries(stores[number]))
        for place, number in enumerate(sorted(stores))
    ]
    top, *others = (
        application(
            stores[part.number - 1],
            searches,
            only_this_machine=only_this_machine,
            base_url=base_url,
            path=part.path,
            parts=parts,
        )
        for part in parts
    )

    async def closing(_: web.Application) -> AsyncIterator[None]:
        yield
        for part in parts:
            await part.queries.close()

    top.cleanup_ctx.append(closing)
    for part, app in zip(parts[1:], others, strict=True):
        top.add_subapp(part.path, app)
    return top
