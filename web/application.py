"""The application: its routes, and the middleware of all responses."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web

from hinterland.library.patient_reading import TookTooLong
from hinterland.search.index_failures import NoIndex
from hinterland.search.saved_queries import SavedQuery
from hinterland.storage.indexnow_inbox import IndexNowInbox
from hinterland.storage.no_store import NoStore
from hinterland.web import (
    api,
    audit_page,
    broken_links_page,
    cached_page,
    changes_page,
    crawl_page,
    host_graph_page,
    host_pages,
    indexnow,
    metrics,
    page_view,
    pages_page,
    query_exports,
    rank_page,
    records_page,
    review_page,
    search_page,
    searxng,
    signals_page,
    suggest,
)
from hinterland.web.answer_cache import AnswerPending
from hinterland.web.compression import compressing
from hinterland.web.crawl_shards import CrawlShard
from hinterland.web.extra_pages import extra_pages
from hinterland.web.mounted_service import MountedService, mount
from hinterland.web.parameters import BadParameter
from hinterland.web.rendering import Renderer, static_files
from hinterland.web.review_page import REVIEW, Review
from hinterland.web.search_service import SearchService
from hinterland.web.security import HEADERS, names_this_machine
from hinterland.web.served_stores import ServedStore
from hinterland.web.site import SITE, Site, json_answer
from hinterland.web.store_queries import Overloaded, StoreQueries

Application = web.Application
"""The type of applications, for modules that do not import aiohttp."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_POSTS = web.AppKey("posts", frozenset[str])
"""The paths that take POST requests."""
_FOR_A_YEAR = "public, max-age=31536000, immutable"
_MAX_LINE = 16_384
REQUEST_SECONDS = 75.0
"""Time limit for the head of a request. It is longer than the minute for which proxies keep an idle connection."""
_AGAIN_SECONDS = 5


def application(
    store: Path,
    searches: SearchService,
    *,
    only_this_machine: bool,
    now: Callable[[], float] = time.time,
    live_interval_seconds: float = 1.0,
    review: Review | None = None,
    base_url: str = "",
    saved: Sequence[SavedQuery] = (),
    path: str = "",
    stores: Sequence[ServedStore] = (),
    takes_notices: bool = False,
    shards: Sequence[CrawlShard] = (),
    services: Sequence[MountedService] = (),
    replay_port: int = 0,
    request_seconds: float = REQUEST_SECONDS,
) -> web.Application:
    """Return the application that serves a store.

    `only_this_machine` rejects requests whose Host header does not name this machine; set it for a server on loopback.
    `review` is the review of a topic. `base_url` is the address that browsers use, such as "https://a.example/crawl",
    if a proxy in front strips the path; it has no final slash. The front page offers the `saved` queries. `path` is
    where the application is mounted in another application. `stores` are all stores that are searched together,
    including this one. `takes_notices` enables IndexNow. `shards` are the shards of a crawl that are not joined yet,
    including this store. `services` answer POST requests, each at a path of its own. `replay_port` is the port on which
    archived pages are shown; 0 if no archive is shown. A connection is closed if the head of a request is incomplete
    `request_seconds` after the connection was opened or after the previous response.
    """
    static = static_files()
    topic = None if review is None else review.topic
    renderer = Renderer(static, urlsplit(base_url).path + path)
    pages = extra_pages()
    site = Site(
        store=str(store),
        queries=StoreQueries(store),
        searches=searches,
        renderer=renderer,
        now=now,
        topic=topic,
        base_url=base_url,
        saved=saved,
        path=path,
        stores=stores,
        shards=shards,
        pages=pages,
        replay_port=replay_port,
    )
    guards = [compressing, *([_only_to_this_machine] if only_this_machine else []), _failing_clearly, _only_reading]
    bounds = {"max_line_size": _MAX_LINE, "max_field_size": _MAX_LINE, "keepalive_timeout": request_seconds}
    app = web.Application(middlewares=guards, handler_args=bounds)
    app[SITE] = site
    app[_POSTS] = frozenset((review_page.PATH, indexnow.PATH, *(service.path for service in services)))
    if review is not None:
        app[REVIEW] = review
    if takes_notices:
        app[indexnow.NOTICES] = IndexNowInbox.of(store)
    app[crawl_page.LIVE] = crawl_page.live_updates(site, live_interval_seconds)
    app.on_response_prepare.append(_add_headers)
    app.on_shutdown.append(_end_news)
    app.cleanup_ctx.append(_closing_queries)
    app.add_routes(
        [
            web.get("/", search_page.front_page),
            web.get(searxng.PATH, searxng.send_search),
            web.get("/search.atom", query_exports.send_feed),
            web.get("/search.csv", query_exports.send_csv),
            web.get("/robots.txt", _robots),
            web.get(suggest.SUGGESTIONS_PATH, suggest.suggest),
            web.get(suggest.DESCRIPTION_PATH, suggest.describe),
            web.get("/page", page_view.find_page),
            web.get("/page/{number}", page_view.show_page),
            web.get(pages_page.PATH, pages_page.show_pages),
            web.get(pages_page.CSV_PATH, pages_page.send_pages),
            web.get("/crawl", crawl_page.show_crawl),
            web.get("/crawl/events", crawl_page.crawl_events, allow_head=False),
            web.get("/page/{number}/cached", cached_page.show_cached),
            web.get("/broken-links", broken_links_page.show_broken_links),
            web.get(broken_links_page.CSV_PATH, broken_links_page.send_broken_links),
            web.get("/audit", audit_page.show_audit),
            web.get(audit_page.FILE_PATH, audit_page.send_audit),
            web.get("/changes", changes_page.show_changes),
            web.get(changes_page.FEED_PATH, changes_page.send_feed),
            web.get("/page/{number}/changes", changes_page.show_page_changes),
            web.get("/signals", signals_page.show_signals),
            web.get(indexnow.PATH, indexnow.take_one, allow_head=False),
            web.post(indexnow.PATH, indexnow.take_many),
            web.get("/records", records_page.list_tables),
            web.get("/records/{name}", records_page.show_table),
            web.get("/ranks", rank_page.show_ranks),
            web.get("/hosts", host_pages.list_hosts),
            web.get("/hosts/links", host_graph_page.show_host_graph),
            web.get("/host", host_pages.find_host),
            web.get("/host/{number}", host_pages.show_host),
            web.get(review_page.PATH, review_page.show_review),
            web.post(review_page.PATH, review_page.take_answer),
            web.get("/static/{name}", _static(static)),
            web.get("/metrics", metrics.show_metrics),
            web.get("/healthz", metrics.show_health),
            *api.ROUTES,
            *(web.get(page.path, page.show) for page in pages),
        ]
    )
    for service in services:
        mount(app, service)
    return app


_ROBOTS = "User-agent: *\nDisallow: /\n"
"""Crawlers are kept out: everything here is on the web already, and a crawler would follow every possible query."""


async def _robots(_: web.Request) -> web.Response:
    return web.Response(text=_ROBOTS, headers={"Cache-Control": "public, max-age=86400"})


def _static(files: dict[str, tuple[str, bytes]]) -> Handler:
    async def send(request: web.Request) -> web.StreamResponse:
        found = files.get(request.match_info["name"])
        if found is None:
            raise web.HTTPNotFound
        content_type, data = found
        return web.Response(
            body=data, content_type=content_type, charset="utf-8", headers={"Cache-Control": _FOR_A_YEAR}
        )

    return send


async def _add_headers(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)


async def _end_news(app: web.Application) -> None:
    await app[crawl_page.LIVE].close()


async def _closing_queries(app: web.Application) -> AsyncIterator[None]:
    yield
    await app[SITE].queries.close()


# --- guards -------------------------------------------------------------------------------------


@web.middleware
async def _only_to_this_machine(request: web.Request, handler: Handler) -> web.StreamResponse:
    own = urlsplit(request.app[SITE].base_url).netloc
    if not names_this_machine(request.host) and not (own and request.host == own):
        return _complaint(request, 421, "Unknown host name", "This server only answers to the names of this machine.")
    return await handler(request)


@web.middleware
async def _only_reading(request: web.Request, handler: Handler) -> web.StreamResponse:
    if request.method == "POST" and request.path in request.app[_POSTS]:
        return await handler(request)
    if request.method not in ("GET", "HEAD"):
        raise web.HTTPMethodNotAllowed(request.method, ("GET", "HEAD"))
    return await handler(request)


@web.middleware
async def _failing_clearly(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn exceptions into error pages, or into JSON for the API.

    If the response has begun, the connection is closed instead, because the client would take an error page for part of
    the response.
    """
    try:
        return await handler(request)
    except web.HTTPRedirection:
        raise
    except Exception as error:
        if request.writer.output_size:
            raise
        return _explanation(request, error)


def _explanation(request: web.Request, error: Exception) -> web.Response:
    match error:
        case BadParameter():
            return _complaint(request, 400, "Invalid request", str(error))
        case NoStore():
            is_there = request.app[SITE].queries.path.exists()
            title = "The store cannot be read" if is_there else "There is no store yet"
            return _complaint(request, 503, title, str(error), again=_AGAIN_SECONDS)
        case NoIndex():
            return _complaint(request, 503, "There is no index", str(error))
        case AnswerPending() | Overloaded() | TookTooLong():
            return _complaint(request, 503, "Please wait", str(error), again=_AGAIN_SECONDS)
        case web.HTTPException():
            nowhere = f"There is nothing at {request.path}." if type(error) is web.HTTPNotFound else ""
            is_said = error.text and error.text != f"{error.status}: {error.reason}"
            message = error.text if is_said else nowhere or error.reason
            answer = _complaint(request, error.status, error.reason, message or error.reason)
            for name in ("Allow", "Retry-After"):
                if name in error.headers:
                    answer.headers[name] = error.headers[name]
            return answer
    request.app.logger.error("no answer to %a", request.path_qs, exc_info=error)
    return _complaint(
        request, 500, "Internal error of Hinterland", "Details are on the terminal. The store is not affected."
    )


def _complaint(request: web.Request, status: int, title: str, message: str, *, again: int = 0) -> web.Response:
    """Return an error page or, for a request to the API, an error as JSON.

    If `again` is not 0, browsers reload the page after that many seconds; use it for errors that may pass soon.
    """
    if request.path.removeprefix(request.app[SITE].path).startswith("/api/"):
        return json_answer({"error": message}, status)
    return request.app[SITE].page("message.html", status, title=title, message=message, again=again)
