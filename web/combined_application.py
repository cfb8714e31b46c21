"""One server for several stores, or for the shards of a crawl.

The pages of the first store are at the top of the site. The pages of the other stores are at paths below it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from aiohttp import web

from hinterland.web.application import application
from hinterland.web.crawl_shards import CrawlShard
from hinterland.web.search_service import SearchService
from hinterland.web.served_stores import ServedStore
from hinterland.web.store_queries import StoreQueries


def add_stores_below(
    top: web.Application,
    served: Sequence[ServedStore],
    searches: Sequence[SearchService],
    *,
    only_this_machine: bool,
    base_url: str = "",
) -> None:
    """Mount the pages of further stores below `top`.

    `served` lists all stores, beginning with the store of `top`. `searches` has one search service for each further
    store. The other arguments are explained in `application`.
    """
    for each, own in zip(served[1:], searches, strict=True):
        pages = application(
            Path(each.store),
            own,
            only_this_machine=only_this_machine,
            base_url=base_url,
            path=each.path,
            stores=served,
        )
        top.add_subapp(each.path, pages)


def shards_application(
    stores: Mapping[int, Path], searches: SearchService, *, only_this_machine: bool, base_url: str = ""
) -> web.Application:
    """Return an application for a crawl whose shards are not joined yet.

    `stores` holds the store of each shard by its number, from 0. `searches` searches the store into which the shards
    will be joined. The other arguments are explained in `application`.
    """
    shards = [
        CrawlShard(number + 1, f"/part/{number + 1}" if place else "", StoreQueries(stores[number]))
        for place, number in enumerate(sorted(stores))
    ]
    top, *others = (
        application(
            stores[shard.number - 1],
            searches,
            only_this_machine=only_this_machine,
            base_url=base_url,
            path=shard.path,
            shards=shards,
        )
        for shard in shards
    )

    async def closing(_: web.Application) -> AsyncIterator[None]:
        yield
        for shard in shards:
            await shard.queries.close()

    top.cleanup_ctx.append(closing)
    for shard, app in zip(shards[1:], others, strict=True):
        top.add_subapp(shard.path, app)
    return top
