"""Receives IndexNow notices of changes, and stores them for a crawl.

This server requests nothing from the host. The crawl checks later whether the host confirms the key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from aiohttp import web

from hinterland.crawler.features.sitemaps.indexnow import BadNotice, Notice, notice_of_json, notice_of_query
from hinterland.storage.failures import SqliteError
from hinterland.storage.indexnow_inbox import IndexNowInbox, TooManyNotices
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.indexnow import KeyState
from hinterland.web.site import SITE

PATH: Final = "/indexnow"
NOTICES = web.AppKey("notices", IndexNowInbox)

_MOST_BYTES: Final = 4_000_000
_PATIENCE_SECONDS: Final = 30.0
_AGAIN_SECONDS: Final = 3_600
"""When a sender may retry if the inbox is full."""
_OFF: Final = "IndexNow is off: start the server with --set sitemaps.indexnow=true."
"""Shown unless the server takes notices."""


async def take_one(request: web.Request) -> web.Response:
    """Accept a notice with one URL: ?url=...&key=..., optionally &keyLocation=..."""
    return await _take(request, lambda: notice_of_query(request.query))


async def take_many(request: web.Request) -> web.Response:
    """Accept a notice as JSON: host, key, optionally keyLocation, and urlList."""
    _notices(request)  # raises before the body is read
    body = await _body(request)
    return await _take(request, lambda: notice_of_json(body))


async def _take(request: web.Request, read: Callable[[], Notice]) -> web.Response:
    file, queries, now = _notices(request), request.app[SITE].queries, request.app[SITE].now()
    try:
        notice = await queries.in_thread(read)
        if not await queries.ask(lambda store: _has_pages_of(store, notice.host)):
            raise BadNotice(422, f"no page of {notice.host} is in this store")
        taken = partial(file.take, notice.host, notice.location, notice.key, notice.urls, now)
        state = await queries.in_thread(taken)
    except BadNotice as error:
        return _said(error.status, str(error))
    except TooManyNotices as error:
        return _said(429, str(error), again=_AGAIN_SECONDS)
    except SqliteError as error:
        return _said(503, f"the notice cannot be stored: {error}", again=_AGAIN_SECONDS)
    match state:
        case KeyState.GOOD:
            return _said(200, "accepted")
        case KeyState.BAD:
            return _said(403, f"{notice.location} did not contain this key when it was checked within the last day")
        case KeyState.UNCHECKED:
            return _said(202, f"accepted; it takes effect once {notice.location} is found to contain the key")


def _has_pages_of(store: StoreReader, host: str) -> bool:
    number = store.hosts.number_of(host)
    found = None if number is None else store.hosts.host(number)
    return found is not None and found.pages_fetched > 0


def _notices(request: web.Request) -> IndexNowInbox:
    if NOTICES not in request.app:
        raise web.HTTPNotFound(text=_OFF)
    return request.app[NOTICES]


async def _body(request: web.Request) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            async for block in request.content.iter_any():
                body += block
                if len(body) > _MOST_BYTES:
                    raise web.HTTPRequestEntityTooLarge(_MOST_BYTES, len(body))
    except TimeoutError:
        raise web.HTTPRequestTimeout from None
    return bytes(body)


def _said(status: int, text: str, *, again: int = 0) -> web.Response:
    headers = {"Retry-After": str(again)} if again else {}
    return web.Response(text=f"{text}\n", status=status, headers=headers)
