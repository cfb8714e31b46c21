"""The metrics for Prometheus, and the health check."""

from __future__ import annotations

from aiohttp import web

from hinterland.storage.no_store import NoStore
from hinterland.web.crawl_page import LIVE, gathered
from hinterland.web.metrics_text import metrics_text
from hinterland.web.site import SITE


async def show_metrics(request: web.Request) -> web.Response:
    """Send the metrics.

    If the store cannot be read, they are sent all the same, with hinterland_store_up at 0.
    """
    site = request.app[SITE]
    try:
        report = await gathered(site)
    except NoStore:
        report = None
    return web.Response(
        body=metrics_text(report, site.now(), request.app[LIVE].listeners),
        headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-cache"},
    )


async def show_health(request: web.Request) -> web.Response:
    """Answer with status 200 if the store can be read, otherwise with 503 and the reason."""
    site = request.app[SITE]
    try:
        await site.queries.ask(lambda store: store.runs.count())
    except NoStore as error:
        return web.Response(text=f"{error}\n", status=503, headers={"Cache-Control": "no-store"})
    return web.Response(text="ok\n", headers={"Cache-Control": "no-store"})
