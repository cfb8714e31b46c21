"""The hosts of a store and the links between them, as a picture and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, pi

from aiohttp import web

from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.stored_crawl import stored_crawl
from hinterland.web.answer_cache import Tell
from hinterland.web.host_graph import HostDot, HostLinks, HostPicture, host_links, host_picture
from hinterland.web.site import SITE

_PATIENCE_SECONDS = 5.0
_ROWS = 40


async def show_host_graph(request: web.Request) -> web.Response:
    """Show the links between hosts.

    Links are counted at the first request, and again once the store was written to.
    """
    site = request.app[SITE]
    kept = await site.queries.kept.ask(
        "host graph", _drawn, what="The picture of the links between hosts", within=_PATIENCE_SECONDS
    )
    found, picture, names = kept.answer
    order = [dot.place for dot in sorted(picture.dots, key=_clockwise)]
    edges = sorted(picture.edges, key=lambda edge: -edge.there - edge.back)
    return site.page(
        "host_graph.html",
        found=found,
        picture=picture,
        names=names,
        rows=edges[:_ROWS],
        edges=len(edges),
        order=order,
        numbers={place: number for number, place in enumerate(order, 1)},
        kept=kept,
    )


def _clockwise(dot: HostDot) -> float:
    """Return the angle of a dot, clockwise from the top."""
    return atan2(dot.x, -dot.y) % (2 * pi)


def _drawn(store: StoreReader, tell: Tell) -> tuple[HostLinks, HostPicture, Sequence[str]]:
    tell("reading the links")
    with reading(store.path) as whole:
        found = host_links(stored_crawl(whole.connection))
    urls = store.hosts.urls()
    return found, host_picture(found), [urls[host] for host in found.hosts.tolist()]
